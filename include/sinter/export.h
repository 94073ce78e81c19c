// SINTER_API marks what the shared library exports.
#pragma once

#define SINTER_API __attribute__((visibility("default")))

// A host program: headers and library as installed.
#include <cstdio>
#include <cstring>

#include "sinter/version.h"

int main() {
  std::puts(sinter::Version());
  return std::strlen(sinter::Version()) >= 5 ? 0 : 1;
}

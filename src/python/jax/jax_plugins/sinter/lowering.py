"""What JAX keeps by platform: lowering rules, donation, the persistent cache."""


def register(platform: str) -> None:
    from jax._src import compilation_cache
    from jax._src.interpreters import mlir

    # Programs are those of JAX's CPU: its rules call LAPACK, whose routines the library has by the same names. Its rule
    # of products refuses algorithms that XLA's CPU ignores.
    rules = mlir._platform_specific_lowerings
    for primitive, rule in rules['cpu'].items():
        if primitive.name not in ('dot_general', 'ragged_dot_general'):
            rules[platform].setdefault(primitive, rule)

    if platform not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(platform)

    used_by_others = compilation_cache.is_cache_used

    def is_cache_used(backend) -> bool:
        if getattr(backend, 'platform', None) != platform:
            return used_by_others(backend)
        return compilation_cache._is_cache_enabled()

    compilation_cache.is_cache_used = is_cache_used

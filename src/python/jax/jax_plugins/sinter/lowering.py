"""What JAX keeps by platform: lowering rules, donation, the persistent cache."""


def register_platform_branches(platform: str) -> None:
    """Where jax.lax.platform_dependent names JAX's CPU and not this platform, it takes the branch for the CPU."""
    from jax._src.interpreters import mlir
    from jax._src.lax.control_flow import conditionals

    def with_platform(branches):
        if branches is None or any(names is not None and platform in names for names in branches):
            return branches
        return tuple((*names, platform) if names is not None and 'cpu' in names else names for names in branches)

    def lower_index(ctx, *, platforms):
        return conditionals._platform_index_lowering(ctx, platforms=with_platform(platforms))

    def lower_cond(ctx, index, *args, branches_platforms=None, **params):
        if branches_platforms is not None:
            params['branches_platforms'] = with_platform(branches_platforms)
        return conditionals._cond_lowering(ctx, index, *args, **params)

    mlir.register_lowering(conditionals.platform_index_p, lower_index, platform=platform)
    mlir.register_lowering(conditionals.cond_p, lower_cond, platform=platform)


def register(platform: str) -> None:
    from jax._src import compilation_cache
    from jax._src.interpreters import mlir

    # Programs are those of JAX's CPU: its rules call LAPACK, whose routines the library has by the same names. Its rule
    # of products refuses algorithms that XLA's CPU ignores.
    rules = mlir._platform_specific_lowerings
    for primitive, rule in rules['cpu'].items():
        if primitive.name not in ('dot_general', 'ragged_dot_general'):
            rules[platform].setdefault(primitive, rule)

    register_platform_branches(platform)

    if platform not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(platform)

    used_by_others = compilation_cache.is_cache_used

    def is_cache_used(backend) -> bool:
        if getattr(backend, 'platform', None) != platform:
            return used_by_others(backend)
        return compilation_cache._is_cache_enabled()

    compilation_cache.is_cache_used = is_cache_used

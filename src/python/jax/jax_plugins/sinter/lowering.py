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


def register_exported(platform: str) -> None:
    """What jax.export made for JAX's CPU runs here too."""
    import dataclasses

    from jax._src.export import _export
    from jax._src.interpreters import mlir

    def lower(ctx, *args, exported):
        if platform not in exported.platforms and 'cpu' in exported.platforms:
            names = tuple(platform if name == 'cpu' else name for name in exported.platforms)
            exported = dataclasses.replace(exported, platforms=names)
        return _export._call_exported_lowering(ctx, *args, exported=exported)

    mlir.register_lowering(_export.call_exported_p, lower, platform=platform)


def register(platform: str) -> None:
    from jax._src import compilation_cache
    from jax._src.interpreters import mlir

    # Programs are those of JAX's CPU: its rules call LAPACK, whose routines the library has by the same names. Its rule
    # of products refuses algorithms that XLA's CPU ignores, and that of sparse products calls a function of jaxlib's.
    own = ('dot_general', 'ragged_dot_general', 'bcsr_dot_general')
    rules = mlir._platform_specific_lowerings
    for primitive, rule in rules['cpu'].items():
        if primitive.name not in own:
            rules[platform].setdefault(primitive, rule)

    register_platform_branches(platform)
    register_exported(platform)

    if platform not in mlir._platforms_with_donation:
        mlir._platforms_with_donation.append(platform)

    used_by_others = compilation_cache.is_cache_used

    class AsCpu:
        """JAX asks for the name of a platform whose executables it can store."""

        platform, supports_executable_serialization = 'cpu', True

    def is_cache_used(backend) -> bool:
        return used_by_others(AsCpu if getattr(backend, 'platform', None) == platform else backend)

    compilation_cache.is_cache_used = is_cache_used

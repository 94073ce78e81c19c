"""Trains models of JAX's libraries on the plugin and on XLA:CPU, and compares losses and times.

  training.py --library PATH [--steps=N] [NAME ...]

An example whose library is not installed is skipped by name. A loss of the last step, or a mean of a posterior, that
differs by more than the example allows is a failure: rounding differs, and training enlarges it.
"""
import argparse
import importlib
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def plain(steps):
    """A network of two layers in jax.numpy, by gradient descent."""
    import jax
    import jax.numpy as jnp

    keys = jax.random.split(jax.random.key(0), 4)
    parameters = [(jax.random.normal(k, shape) / shape[0] ** 0.5, jnp.zeros(shape[1]))
                  for k, shape in zip(keys, ((64, 256), (256, 256), (256, 10)))]
    x = jax.random.normal(keys[3], (512, 64))
    y = jnp.argmax(x[:, :10] * x[:, 10:20], axis=1)

    def loss_of(parameters):
        h = x
        for w, b in parameters[:-1]:
            h = jnp.tanh(h @ w + b)
        logits = h @ parameters[-1][0] + parameters[-1][1]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], axis=1))

    @jax.jit
    def step(parameters):
        loss, gradient = jax.value_and_grad(loss_of)(parameters)
        return jax.tree.map(lambda p, g: p - 0.5 * g, parameters, gradient), loss

    def run():
        nonlocal parameters
        parameters, loss = step(parameters)
        return loss

    return run, steps


def optax_adamw(steps):
    """A regression with optax: clipped gradients, a schedule, AdamW."""
    import jax
    import jax.numpy as jnp
    import optax

    key = jax.random.key(1)
    x = jax.random.normal(key, (1024, 32))
    y = jnp.sin(x @ jax.random.normal(jax.random.key(2), (32,)))
    parameters = {"w1": jax.random.normal(jax.random.key(3), (32, 128)) * 0.2, "b1": jnp.zeros(128),
                  "w2": jax.random.normal(jax.random.key(4), (128,)) * 0.1}
    schedule = optax.warmup_cosine_decay_schedule(0.0, 3e-3, 10, steps + 1)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=1e-3))
    state = optimizer.init(parameters)

    def loss_of(p):
        return jnp.mean((jax.nn.gelu(x @ p["w1"] + p["b1"]) @ p["w2"] - y) ** 2)

    @jax.jit
    def step(parameters, state):
        loss, gradient = jax.value_and_grad(loss_of)(parameters)
        updates, state = optimizer.update(gradient, state, parameters)
        return optax.apply_updates(parameters, updates), state, loss

    def run():
        nonlocal parameters, state
        parameters, state, loss = step(parameters, state)
        return loss

    return run, steps


def flax_cnn(steps):
    """A convolutional network with batch normalisation and dropout in flax, by optax."""
    import flax.linen as nn
    import jax
    import jax.numpy as jnp
    import optax

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            for features in (16, 32):
                x = nn.Conv(features, (3, 3), use_bias=False)(x)
                x = nn.relu(nn.BatchNorm(use_running_average=not train)(x))
                x = nn.avg_pool(x, (2, 2), (2, 2))
            x = nn.Dense(64)(x.reshape(x.shape[0], -1))
            return nn.Dense(10)(nn.Dropout(0.1, deterministic=not train)(nn.relu(x)))

    network = Network()
    x = jax.random.normal(jax.random.key(5), (32, 16, 16, 3))
    y = jax.random.randint(jax.random.key(6), (32,), 0, 10)
    variables = network.init(jax.random.key(7), x, train=False)
    parameters, statistics = variables["params"], variables["batch_stats"]
    optimizer = optax.sgd(0.05, momentum=0.9)
    state = optimizer.init(parameters)

    @jax.jit
    def step(parameters, statistics, state, key):
        def loss_of(p):
            logits, updated = network.apply({"params": p, "batch_stats": statistics}, x, train=True,
                                            mutable=["batch_stats"], rngs={"dropout": key})
            loss = optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
            return loss, updated["batch_stats"]

        (loss, statistics_), gradient = jax.value_and_grad(loss_of, has_aux=True)(parameters)
        updates, state_ = optimizer.update(gradient, state)
        return optax.apply_updates(parameters, updates), statistics_, state_, loss

    number = 0

    def run():
        nonlocal parameters, statistics, state, number
        number += 1
        parameters, statistics, state, loss = step(parameters, statistics, state, jax.random.key(number))
        return loss

    return run, steps


def equinox_rnn(steps):
    """A recurrent network in equinox over a scan."""
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import optax

    class Network(eqx.Module):
        cell: eqx.nn.GRUCell
        head: eqx.nn.Linear

        def __init__(self, key):
            a, b = jax.random.split(key)
            self.cell = eqx.nn.GRUCell(4, 32, key=a)
            self.head = eqx.nn.Linear(32, 1, key=b)

        def __call__(self, xs):
            state, _ = jax.lax.scan(lambda h, x: (self.cell(x, h), None), jnp.zeros(32), xs)
            return self.head(state)[0]

    network = Network(jax.random.key(8))
    x = jax.random.normal(jax.random.key(9), (64, 20, 4))
    y = jnp.mean(x[:, :, 0], axis=1)
    optimizer = optax.adam(3e-3)
    state = optimizer.init(eqx.filter(network, eqx.is_array))

    @eqx.filter_jit
    def step(network, state):
        loss, gradient = eqx.filter_value_and_grad(lambda n: jnp.mean((jax.vmap(n)(x) - y) ** 2))(network)
        updates, state = optimizer.update(gradient, state)
        return eqx.apply_updates(network, updates), state, loss

    def run():
        nonlocal network, state
        network, state, loss = step(network, state)
        return loss

    return run, steps


def numpyro_nuts(steps):
    """Logistic regression by the no-U-turn sampler of numpyro: the mean of the posterior's log density."""
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import MCMC, NUTS

    x = jax.random.normal(jax.random.key(10), (200, 5))
    weights = jnp.array([1.0, -2.0, 0.5, 0.0, 1.5])
    y = jax.random.bernoulli(jax.random.key(11), jax.nn.sigmoid(x @ weights)).astype(jnp.float32)

    def model():
        w = numpyro.sample("w", dist.Normal(jnp.zeros(5), 2.0).to_event(1))
        numpyro.sample("y", dist.Bernoulli(logits=x @ w), obs=y)

    sampler = MCMC(NUTS(model), num_warmup=2 * steps, num_samples=4 * steps, progress_bar=False)

    def run():
        sampler.run(jax.random.key(12))
        return jnp.mean(jnp.abs(sampler.get_samples()["w"].mean(axis=0)))

    return run, 1


# Name: what makes the example, the libraries that it needs, the relative difference that is allowed.
EXAMPLES = {
    "plain": (plain, (), 1e-3),
    "optax_adamw": (optax_adamw, ("optax",), 1e-2),
    "flax_cnn": (flax_cnn, ("flax", "optax"), 2e-2),
    "equinox_rnn": (equinox_rnn, ("equinox", "optax"), 1e-2),
    "numpyro_nuts": (numpyro_nuts, ("numpyro",), 5e-2),
}


def train(make, steps, platform):
    """The last result, the seconds until the first, and those of each step after it."""
    import jax

    with jax.default_device(jax.devices(platform)[0]):
        run, count = make(steps)
        begin = time.perf_counter()
        result = jax.block_until_ready(run())
        first = time.perf_counter() - begin
        begin = time.perf_counter()
        for _ in range(max(count - 1, 1)):
            result = run()
        jax.block_until_ready(result)
        elsewhere = [d for d in result.devices() if d.platform != platform]
        if elsewhere:
            raise RuntimeError(f"the result is on {elsewhere}")
        return float(result), first, (time.perf_counter() - begin) / max(count - 1, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True, help="libsinter_pjrt.so")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = "sinter,cpu"
    os.environ["SINTER_PJRT_LIBRARY"] = os.path.abspath(options.library)
    sys.path.insert(0, os.path.join(HERE, "..", "..", "src", "python", "jax"))

    failures = 0
    for name in options.names or EXAMPLES:
        make, libraries, allowed = EXAMPLES[name]
        missing = []
        for library in libraries:
            try:
                importlib.import_module(library)
            except ImportError:
                missing.append(library)
        if missing:
            print(f"{name}: skipped, there is no {', '.join(missing)}")
            continue
        ours, theirs = (train(make, options.steps, p) for p in ("sinter", "cpu"))
        close = abs(ours[0] - theirs[0]) <= allowed * max(abs(theirs[0]), 1e-6)
        failures += not close
        print(f"{name}: {'agrees' if close else 'DIFFERS'}, {ours[0]:.6g} and {theirs[0]:.6g}; "
              f"first step {ours[1]:.2f} s, XLA:CPU {theirs[1]:.2f} s; "
              f"then {1e3 * ours[2]:.3f} ms, XLA:CPU {1e3 * theirs[2]:.3f} ms", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

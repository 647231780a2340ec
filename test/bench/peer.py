"""Times python-docker-mcp's own manager: pooled one-shot runs and persistent calls. Prints one line of JSON."""

import asyncio
import json
import sys
import time

from python_docker_mcp.config import load_config
from python_docker_mcp.docker_manager import DockerManager


async def timed(count, call):
    samples = []
    for number in range(count + 1):
        start = time.perf_counter()
        answer = await call()
        if number:
            samples.append((time.perf_counter() - start) * 1000)
        if isinstance(answer, dict) and answer.get("error"):
            raise SystemExit("it failed: %s" % answer["error"])
    return samples


async def main(image, code, count):
    config = load_config()
    config.docker.image = image
    config.docker.pool_size = 2
    config.docker.working_dir = "/tmp"
    config.blocked_modules = []
    config.allowed_modules = ["numpy", "pandas"]
    manager = DockerManager(config)
    await manager.initialize_pool()
    try:
        transient = await timed(count, lambda: manager.execute_transient(code))
        persistent = await timed(count, lambda: manager.execute_persistent("bench", code))
    finally:
        await manager.cleanup_session("bench")
        for identifier in manager.container_pool:
            manager.client.containers.get(identifier).remove(force=True)
    print(json.dumps({"transient": transient, "persistent": persistent}))


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))

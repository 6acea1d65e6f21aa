async def probe_all(options):
    return 0, 0

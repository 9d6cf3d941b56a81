/** Runs once in each test process, before its first test file (`bunfig.toml`). */
import { setDefaultTimeout } from 'bun:test'

/** A small machine under load is slow. Only a test that hangs may reach this limit. */
const TEST_TIMEOUT_MS = 120_000

setDefaultTimeout(TEST_TIMEOUT_MS)

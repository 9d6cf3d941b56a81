/** A scripted model provider that ends with the tests of its file. */
import { afterAll } from 'bun:test'
import { startModelServer, type Script } from './model-server.ts'

export type { Asked, Reply, Script, ToolUse } from './model-server.ts'

/** `key` is the secret that it demands; none when it is empty. */
export function modelServer(script?: Script, key?: string) {
  const server = startModelServer(script, key)
  afterAll(() => server.stop())
  return server
}

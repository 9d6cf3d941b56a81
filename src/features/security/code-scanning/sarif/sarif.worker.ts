/** The thread that reads SARIF files and hashes lines, because files may have 100 MiB. */
import { readFileSync } from 'node:fs'
import { lowerThreadPriority, NICENESS } from '#lib/threads/thread.ts'
import { serveRequests } from '#lib/threads/worker-requests.ts'
import { lineHashes } from './line-hashes.ts'
import { lineAt, readRun, readRuns, SarifFault } from './read-sarif.ts'
import type { SarifRequest, SarifResponse } from './sarif-thread.ts'

lowerThreadPriority(NICENESS.untrusted)

function answer(request: SarifRequest): SarifResponse {
  if (request.kind === 'count') return { count: readRuns(request.bytes).length }
  if (request.kind === 'run') {
    const runs = readRuns(readFileSync(request.file))
    return { count: runs.length, run: readRun(runs[request.index] ?? {}) }
  }
  const text = new TextDecoder().decode(request.data)
  const hashes = lineHashes(text)
  return {
    lines: request.lines.map(({ line, offset }) => {
      const at = offset === null ? line : lineAt(text, offset)
      return { line: at, hash: hashes[at - 1]?.split(':')[0] ?? null }
    }),
  }
}

serveRequests((request: SarifRequest): SarifResponse => {
  try {
    return answer(request)
  } catch (error) {
    if (error instanceof SarifFault) return { fault: error.message }
    throw error
  }
})

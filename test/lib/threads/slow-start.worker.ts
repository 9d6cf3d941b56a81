/** A worker whose code computes for a while before it takes requests. */
import { serveRequests } from '#lib/threads/worker-requests.ts'

const compute = (ms: number): void => {
  const startedMs = performance.now()
  while (performance.now() - startedMs < ms) Math.sqrt(startedMs)
}

compute(700)
serveRequests((request: string) => {
  if (request === 'compute') compute(60_000)
  return request
})

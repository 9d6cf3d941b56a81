import { EventLoopProbe } from '#lib/event-loop-probe.ts'
import { service } from './service.ts'

/** Measures the turns of the event loop. Whatever begins work calls `wake`: a request, a job. */
export const eventLoopProbe = service('event loop probe', () => new EventLoopProbe(), {
  close: (probe) => probe.close(),
})

/**
 * Reads and their times on a thread of their own. The thread of the callers starts processes,
 * builds requests and keeps a diary; a read measured there would take as long as its own caller is
 * busy, which says nothing of the forge.
 */
import { askRest, type Name } from './doors.ts'

export type ReadAsked = {
  readonly id: number
  readonly url: string
  readonly token: string
  readonly name: Name
  readonly input: Record<string, unknown>
}
/**
 * What came of one; `status` is null when there was no answer, and `said` is what a problem needs
 * to be told.
 */
export type ReadDone = {
  readonly id: number
  readonly took: number
  readonly status: number | null
  readonly ok: boolean
  readonly said: string
}

declare const self: {
  onmessage: ((event: MessageEvent<ReadAsked>) => void) | null
  postMessage(done: ReadDone): void
}

self.onmessage = async ({ data: { id, url, token, name, input } }) => {
  const began = performance.now()
  try {
    const { status, ok, body } = await askRest({ url, over: false }, token, name, input)
    self.postMessage({
      id,
      took: performance.now() - began,
      status,
      ok,
      said: status >= 500 ? JSON.stringify(body).slice(0, 300) : '',
    })
  } catch (error) {
    self.postMessage({
      id,
      took: 0,
      status: null,
      ok: false,
      said: error instanceof Error ? error.message : String(error),
    })
  }
}

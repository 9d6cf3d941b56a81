/** Timeouts, and yielding to the event loop. */

/**
 * The value of a promise, or after `ms` milliseconds what `onTimeout` returns or throws. The work
 * behind the promise is not cancelled.
 */
export async function withTimeout<T, L>(
  promise: Promise<T>,
  ms: number,
  onTimeout: () => L,
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const elapsed = new Promise<void>((resolve) => void (timer = setTimeout(resolve, ms)))
  try {
    return await Promise.race([promise, elapsed.then(onTimeout)])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves in the next turn of the event loop, so that long work lets other events through. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Resolves after `ms` milliseconds. Rejects with the signal's reason when it is aborted before. */
export const sleep = (ms: number, signal: AbortSignal | null = null): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })

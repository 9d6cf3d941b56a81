/** Waiting: for something that may not come in time, and so that others have their turn. */

/**
 * What comes within so many milliseconds, else what `late` gives or throws. Whatever makes it may
 * go on.
 */
export async function withTimeout<T, L>(
  coming: Promise<T>,
  ms: number,
  late: () => L,
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => void (timer = setTimeout(resolve, ms))).then(late)
  try {
    return await Promise.race([coming, over])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves when what waited has been looked at: between the pieces of something long. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

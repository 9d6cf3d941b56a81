/** What every part of the library needs to fill it. */
import type { asker } from '../../tour/story.ts'

export const WORKSPACE = 'library'
export const REPO = `${WORKSPACE}/long`

export type Ask = ReturnType<typeof asker>

/** A running forge. `work` is a folder for files. */
export type Hearth = {
  readonly url: string
  readonly executable: string
  readonly data: string
  readonly work: string
}

/** What every part of the library needs. */
export type Filling = {
  readonly hearth: Hearth
  readonly token: string
  readonly ask: Ask
  /** As somebody else, who reviews. */
  readonly askAsReviewer: Ask
  /** Does something so many times. */
  readonly times: (count: number, make: (at: number) => Promise<unknown>) => Promise<void>
}

/** Four at once. It ends earlier where the forge takes no more of something. */
export async function times(count: number, make: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let at = next++; at < count; at = next++)
        try {
          await make(at)
        } catch (error) {
          if (!String(error).includes('limit_reached')) {
            console.error(String(error).slice(0, 300))
          }
          next = count
        }
    }),
  )
}

/** Waits until something is there that a job makes. */
export async function until<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 300_000; Date.now() < end; await Bun.sleep(200)) {
    const found = await read()
    if (found !== undefined) return found
  }
  throw new Error(`${what} is not there after five minutes`)
}

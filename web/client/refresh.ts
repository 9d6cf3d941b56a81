// What the script does for parts that have come into the open page.
import { watchDiagrams } from './diagrams.ts'
import { refreshTimes } from './relative-times.ts'

const listeners: (() => void)[] = []

/** Calls a function whenever parts have come into the open page. */
export const onNewParts = (listener: () => void): void => void listeners.push(listener)

export const refreshParts = (): void => {
  refreshTimes()
  watchDiagrams()
  for (const listener of listeners) listener()
}

// What the script does for parts that have come into the open page.
import { watchDiagrams } from './diagrams.ts'
import { refreshTimes } from './relative-times.ts'

export const refreshParts = (): void => {
  refreshTimes()
  watchDiagrams()
}

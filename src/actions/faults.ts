/** Collects the faults and warnings of one file. */
import { oneLine } from '#lib/one-line.ts'
import type { Problem } from './model.ts'

type Place = { readonly line: number; readonly column: number }

/** One slip can give 170 errors. */
export const MAX_PROBLEMS = 10
const MAX_WARNINGS = 50

export class Findings {
  readonly problems: Problem[] = []
  readonly warnings: Problem[] = []

  constructor(private readonly file: string) {}

  fault({ line, column }: Place, text: string): void {
    if (this.problems.length < MAX_PROBLEMS)
      this.problems.push({ file: this.file, line, column, text: oneLine(text, 500) })
  }

  warn({ line, column }: Place, text: string): void {
    if (this.warnings.length < MAX_WARNINGS)
      this.warnings.push({ file: this.file, line, column, text: oneLine(text, 500) })
  }

  /** The result of `read`; null and a fault when it throws. */
  try<T>(place: Place, read: () => T): T | null {
    try {
      return read()
    } catch (error) {
      this.fault(place, error instanceof Error ? error.message : String(error))
      return null
    }
  }
}

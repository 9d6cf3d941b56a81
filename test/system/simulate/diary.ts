/**
 * What callers were promised, each as a question to the database that must have exactly one row for
 * an answer, and what surprised them.
 */
import { appendFileSync } from 'node:fs'
import type { Ask } from '../crash/database.ts'

export type Promised = {
  readonly what: string
  readonly sql: string
  readonly with: readonly (string | number)[]
}

export class Diary {
  readonly promised: Promised[] = []
  readonly counts = new Map<string, number>()
  readonly surprises: string[] = []
  /**
   * Numbers of issues and pull requests, by `<repo>#<number>`, with the id that they were given to.
   */
  readonly #numbers = new Map<string, string>()

  constructor(private readonly file: string) {}

  note(what: string, sql: string, ...values: (string | number)[]): void {
    const entry = { what, sql, with: values }
    this.promised.push(entry)
    this.count(what)
    appendFileSync(this.file, `${JSON.stringify(entry)}\n`)
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  given(repo: string, number: number, id: string): void {
    const name = `${repo}#${number}`
    const other = this.#numbers.get(name)
    if (other !== undefined && other !== id)
      this.surprise(`${name} was given to ${other} and to ${id}`)
    this.#numbers.set(name, id)
  }

  surprise(text: string): void {
    this.surprises.push(text)
    appendFileSync(this.file, `${JSON.stringify({ surprise: text })}\n`)
  }

  /** Everything that is not there, or there twice. */
  lost(ask: Ask): string[] {
    return this.promised.flatMap(({ what, sql, with: values }) => {
      const rows = ask(sql, ...values).length
      return rows === 1
        ? []
        : [
            `acknowledged and ${rows === 0 ? 'lost' : `${rows} times there`}: ${what} ${JSON.stringify(values)}`,
          ]
    })
  }
}

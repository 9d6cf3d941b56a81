/** Commits and changed lines by author and week, and their form as bytes. */
import type { HistorySlice, HistorySummary, Oid, Signature } from '../ports.ts'

/** Incremented when the bytes change; older ones are counted again. */
const FORMAT = 1
/** Later authors, and later weeks of all authors, count together as one without a name. */
const MAX_AUTHORS = 20_000
const MAX_ROWS = 200_000
const MAX_NAME_LENGTH = 100
const MAX_EMAIL_LENGTH = 200
/** Authors with the most commits that a summary has. */
const MAX_CONTRIBUTORS = 100

const WEEK_SECONDS = 7 * 86_400
/** The first day of 1970 was a Thursday; weeks begin on Monday (ISO 8601). */
const MONDAY_SECONDS = 3 * 86_400

type Row = { readonly author: number; readonly week: number; readonly counts: Counts }
type Counts = { commits: number; additions: number; deletions: number }

type Stored = {
  readonly format: number
  readonly head: Oid | null
  readonly next: Progress | null
  readonly authors: readonly (readonly [email: string, name: string])[]
  /** Author, week, commits, additions, deletions of each row. */
  readonly rows: readonly number[]
}

/** The head that is being counted. */
type Progress = { readonly head: Oid; walked: number; readonly total: number }

const weekOf = (seconds: number, nowMs: number): number =>
  Math.floor(
    (Math.max(0, Math.min(seconds, Math.floor(nowMs / 1000))) + MONDAY_SECONDS) / WEEK_SECONDS,
  )

/** Monday of a week, in seconds since 1970. */
const startOf = (week: number): number => week * WEEK_SECONDS - MONDAY_SECONDS

const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed()

export class HistoryCounts {
  /** All commits below this one are counted; null for none. */
  head: Oid | null = null
  next: Progress | null = null
  #authors: (readonly [email: string, name: string])[] = [['', '']]
  #indexes = new Map<string, number>([['', 0]])
  #rows = new Map<string, Row>()

  static decode(bytes: Uint8Array | null): HistoryCounts {
    const counts = new HistoryCounts()
    const stored =
      bytes && (JSON.parse(Buffer.from(Bun.zstdDecompressSync(bytes)).toString()) as Stored)
    if (!stored || stored.format !== FORMAT) return counts
    counts.head = stored.head
    counts.next = stored.next
    counts.#authors = [...stored.authors]
    counts.#indexes = new Map(stored.authors.map(([email], index) => [email, index]))
    const { rows } = stored
    for (let at = 0; at < rows.length; at += 5) {
      const [author = 0, week = 0, commits = 0, additions = 0, deletions = 0] = rows.slice(
        at,
        at + 5,
      )
      counts.#rows.set(`${author} ${week}`, {
        author,
        week,
        counts: { commits, additions, deletions },
      })
    }
    return counts
  }

  clear(): void {
    this.head = this.next = null
    this.#authors = [['', '']]
    this.#indexes = new Map([['', 0]])
    this.#rows.clear()
  }

  begin(head: Oid, total: number): void {
    this.next = { head, walked: 0, total }
  }

  /** All commits of `next` are counted. */
  finish(): void {
    this.head = this.next?.head ?? this.head
    this.next = null
  }

  add(
    author: Signature,
    { additions, deletions, nowMs }: { additions: number; deletions: number; nowMs: number },
  ): void {
    addTo(this.#row(author, weekOf(author.time, nowMs)).counts, {
      commits: 1,
      additions,
      deletions,
    })
  }

  #row({ name, email }: Signature, week: number): Row {
    const author = this.#authorOf(cut(email, MAX_EMAIL_LENGTH), cut(name, MAX_NAME_LENGTH))
    const known = this.#rows.get(`${author} ${week}`)
    if (known) return known
    const row = {
      author: this.#rows.size < MAX_ROWS ? author : 0,
      week,
      counts: { commits: 0, additions: 0, deletions: 0 },
    }
    const key = `${row.author} ${week}`
    const shared = this.#rows.get(key)
    if (!shared) this.#rows.set(key, row)
    return shared ?? row
  }

  /** Commits are counted newest first, so an author has the latest name. */
  #authorOf(email: string, name: string): number {
    const key = email.toLowerCase()
    const known = this.#indexes.get(key)
    if (known !== undefined) return known
    if (this.#authors.length > MAX_AUTHORS) return 0
    const index = this.#authors.push([key, name]) - 1
    this.#indexes.set(key, index)
    return index
  }

  toSlice(): HistorySlice {
    const stored: Stored = {
      format: FORMAT,
      head: this.head,
      next: this.next,
      authors: this.#authors,
      rows: [...this.#rows.values()].flatMap(
        ({ author, week, counts: { commits, additions, deletions } }) => [
          author,
          week,
          commits,
          additions,
          deletions,
        ],
      ),
    }
    return {
      state: Bun.zstdCompressSync(Buffer.from(JSON.stringify(stored)), { level: 3 }),
      summary: this.#summarize(),
      isComplete: this.next === null,
    }
  }

  #summarize(): HistorySummary {
    const weeks = new Map<number, Counts>()
    const byAuthor = new Map<number, { counts: Counts; weeks: (readonly [number, number])[] }>()
    for (const { author, week, counts } of this.#rows.values()) {
      addTo(entryOf(weeks, week, noCounts), counts)
      if (author === 0) continue
      const own = entryOf(byAuthor, author, () => ({ counts: noCounts(), weeks: [] }))
      addTo(own.counts, counts)
      own.weeks.push([startOf(week), counts.commits])
    }
    return {
      head: this.next?.head ?? this.head,
      walked: this.next?.walked ?? 0,
      total: this.next?.total ?? 0,
      weeks: [...weeks]
        .sort(([a], [b]) => a - b)
        .map(([week, counts]) => ({ start: startOf(week), ...counts })),
      authors: byAuthor.size,
      contributors: [...byAuthor]
        .sort(([a, one], [b, other]) => other.counts.commits - one.counts.commits || a - b)
        .slice(0, MAX_CONTRIBUTORS)
        .map(([author, own]) => ({
          email: this.#authors[author]?.[0] ?? '',
          name: this.#authors[author]?.[1] ?? '',
          ...own.counts,
          weeks: own.weeks.sort(([a], [b]) => a - b),
        })),
    }
  }
}

const noCounts = (): Counts => ({ commits: 0, additions: 0, deletions: 0 })

function entryOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = create()
  map.set(key, value)
  return value
}

function addTo(sum: Counts, counts: Counts): void {
  sum.commits += counts.commits
  sum.additions += counts.additions
  sum.deletions += counts.deletions
}

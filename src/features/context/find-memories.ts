/** Finds memories, runs of workflows, and tickets of other services. */
import type { Typed } from '#core/operation.ts'
import { recall, searchMemories, type Memory } from '#features/memory/index.ts'
import { listRuns, type Run } from '#features/workflows/index.ts'
import { parseReference } from './references.ts'
import { lookupTicket } from './lookup-ticket.ts'
import type { Found } from './found.ts'
import type { Ticket } from './schema.ts'
import { tryCall, type Place } from './place.ts'
import { oneLineOf } from './texts.ts'
import { fitOf, longestOf } from './words.ts'

const MAX_TITLE_CHARS = 80
/** Repositories whose memories and runs are read when none is named: those changed last. */
const MAX_REPOS = 10
const MAX_WORDS = 4
const MAX_PER_REPO = 20
const MAX_RUNS = 50

const reposOf = ({ repos, repo }: Place): string[] =>
  repo === null ? repos.slice(0, MAX_REPOS).map(({ full_name }) => full_name) : [repo]

type Recalled = { readonly memory: Memory; readonly trusted: boolean }

/** Calls an operation that gives memories, and tells whether each was written by people with Write. */
async function callForMemories<I>(
  place: Place,
  operation: Typed<I, { project: Memory[]; workspace: Memory[] }>,
  input: NoInfer<I>,
): Promise<Recalled[]> {
  const untrusted = new Set<string>()
  const answer = await tryCall(place, operation, input, (pointers) =>
    pointers.forEach((pointer) => untrusted.add(pointer)),
  )
  return (['project', 'workspace'] as const).flatMap((level) =>
    (answer?.[level] ?? []).map((memory, at) => ({
      memory,
      trusted: !untrusted.has(`/${level}/${at}/text`),
    })),
  )
}

/** What is remembered about a repository and its workspace. */
export const recallIn = (
  place: Place,
  input: { readonly repo: string; readonly query: string; readonly limit: number },
): Promise<Recalled[]> => callForMemories(place, recall, input)

export const foundMemory = (
  { hearth }: Place,
  repo: string,
  { memory, trusted }: Recalled,
): Found => ({
  kind: 'memory',
  id: memory.id,
  key: memory.id,
  title: oneLineOf(memory.text, MAX_TITLE_CHARS),
  summary: memory.text,
  url: `${hearth.settings.site_url}/${repo}/memory`,
  repo: memory.repo,
  trusted,
  updated_at: memory.updated_at,
})

export async function findMemories(place: Place, words: readonly string[]): Promise<Found[]> {
  const longest = longestOf(words, MAX_WORDS)
  const found = new Map<string, Found>()
  // All of them have the same workspace.
  let with_workspace = true
  for (const repo of reposOf(place)) {
    const input = { repo, words: longest, limit: MAX_PER_REPO, with_workspace }
    for (const one of await callForMemories(place, searchMemories, input))
      found.set(one.memory.id, foundMemory(place, repo, one))
    with_workspace = false
  }
  return [...found.values()]
}

export const foundRun = (repo: string, run: Run): Found => ({
  kind: 'run',
  id: run.id,
  key: run.id,
  title: `${run.name} #${run.number}: ${run.title}`,
  summary: `${run.conclusion ?? run.status} at ${run.ref.replace(/^refs\/\w+\//, '')}`,
  url: run.html_url,
  repo,
  trusted: run.trusted,
  updated_at: run.finished_at ?? run.created_at,
})

/** Among the latest runs of each repository. */
export async function findRuns(place: Place, words: readonly string[]): Promise<Found[]> {
  const found: Found[] = []
  for (const repo of reposOf(place)) {
    const runs = await tryCall(place, listRuns, { repo, per_page: MAX_RUNS })
    for (const run of runs?.items ?? []) {
      const one = foundRun(repo, run)
      if (fitOf(words, { ...one, key: '' }) > 0) found.push(one)
    }
  }
  return found
}

/** A ticket is found by its key or address only: trackers are not searched. */
export async function findTicket(place: Place, query: string): Promise<Ticket | null> {
  const reference = parseReference(query)
  const repo = place.repo ?? place.repos[0]?.full_name
  if (reference === null || repo === undefined) return null
  const ticket = await tryCall(place, lookupTicket, { repo, reference: query.trim() })
  return ticket?.provider === 'hearth' ? null : ticket
}

export const foundTicket = (ticket: Ticket): Found => ({
  kind: 'ticket',
  id: ticket.key,
  key: ticket.key,
  title: ticket.title,
  summary: `${ticket.status}. ${ticket.body}`,
  url: ticket.url,
  repo: null,
  trusted: false,
  updated_at: null,
})

export async function findTickets(place: Place, query: string): Promise<Found[]> {
  const ticket = await findTicket(place, query)
  return ticket === null ? [] : [foundTicket(ticket)]
}

/** Describes issues, pull requests, runs, memories, documents and tickets. */
import { listIssueEvents } from '#features/issues/index.ts'
import { findMemory } from '#features/memory/index.ts'
import { getFile } from '#features/repos/index.ts'
import { getRun, repoOfRun } from '#features/workflows/index.ts'
import { repoNameOf } from './repo-names.ts'
import { mentionsIn, relation, type Described } from './entity.ts'
import { foundIssue, foundPull, parseKey, readIssue, readPull } from './find-by-key.ts'
import { findTicket, foundMemory, foundRun, foundTicket, recallIn } from './find-memories.ts'
import { tryCall, type Place } from './place.ts'
import { MAX_ENTITY_EVENTS } from './schema.ts'

const MAX_BODY_CHARS = 4_000
const MAX_HEADINGS = 40
/** Each is read as the caller may read it. */
const MAX_BLOCKERS = 20
const MAX_RECALLED = 100

async function eventsOfRecord(place: Place, key: string) {
  const named = parseKey(key)
  const answer =
    named && (await tryCall(place, listIssueEvents, { ...named, per_page: MAX_ENTITY_EVENTS }))
  return answer?.items ?? []
}

export async function describeIssue(place: Place, key: string): Promise<Described | null> {
  const read = await readIssue(place, key)
  if (!read) return null
  const { issue } = read
  const found = foundIssue(read)
  const related = (number: number) => `${issue.repo}#${number}`
  const blockers = await Promise.all(
    issue.blocked_by
      .slice(0, MAX_BLOCKERS)
      .map(async (number) => await readIssue(place, related(number))),
  )
  return {
    found,
    fields: {
      title: issue.title,
      state: issue.state,
      reason: issue.reason,
      author: issue.author.username,
      labels: issue.labels,
      assignees: issue.assignees.map(({ username }) => username),
      checks: issue.checks,
      body: issue.body.slice(0, MAX_BODY_CHARS),
    },
    relations: [
      ...issue.pulls.map(({ number, status }) =>
        relation('resolves', 'pull', related(number), `#${number}, ${status}`),
      ),
      ...blockers.flatMap((blocker) =>
        blocker
          ? [relation('depends_on', 'issue', related(blocker.issue.number), blocker.issue.title)]
          : [],
      ),
      ...(await mentionsIn(place, issue.body, issue.repo, found.key)),
    ],
    recent: await eventsOfRecord(place, found.key),
  }
}

export async function describePull(place: Place, key: string): Promise<Described | null> {
  const read = await readPull(place, key)
  if (!read) return null
  const { pull, issue } = read.detail
  const found = foundPull(read)
  return {
    found,
    fields: {
      title: pull.title,
      status: pull.status,
      author: pull.author.username,
      agent: pull.agent,
      labels: pull.labels,
      checks_status: pull.checks_status,
      changed_files: pull.changed_files,
      blockers: pull.blockers.map(({ code }) => code),
      body: pull.body.slice(0, MAX_BODY_CHARS),
    },
    relations: [
      ...(issue
        ? [relation('resolves', 'issue', `${pull.repo}#${issue.number}`, issue.title)]
        : []),
      ...(await mentionsIn(place, pull.body, pull.repo, found.key)),
    ],
    recent: await eventsOfRecord(place, found.key),
  }
}

export async function describeRun(place: Place, id: string): Promise<Described | null> {
  const repo = repoNameOf(place, repoOfRun(place.hearth.db, id))
  const run = repo === null ? null : await tryCall(place, getRun, { repo, id })
  if (repo === null || run === null) return null
  return {
    found: foundRun(repo, run),
    fields: {
      workflow: run.name,
      status: run.status,
      conclusion: run.conclusion,
      event: run.event,
      sha: run.sha,
      error: run.error,
      actor: run.actor?.username ?? null,
    },
    relations: [
      relation('contains', 'repo', repo, repo),
      ...(run.pull === null
        ? []
        : [relation('mentions', 'pull', `${repo}#${run.pull}`, `#${run.pull}`)]),
    ],
  }
}

export async function describeMemory(place: Place, id: string): Promise<Described | null> {
  const at = findMemory(place.hearth.db, id)
  const repo =
    at?.repo_id == null
      ? (place.repo ?? place.repos[0]?.full_name ?? null)
      : repoNameOf(place, at.repo_id)
  if (at === null || repo === null) return null
  // Recall decides who gets a memory; its own words find it among those of the repository.
  const query = at.text.slice(0, 500)
  const recalled = await recallIn(place, { repo, query, limit: MAX_RECALLED })
  const one = recalled.find(({ memory }) => memory.id === id)
  if (!one) return null
  const { memory } = one
  return {
    found: foundMemory(place, repo, one),
    fields: {
      body: memory.text,
      memory_kind: memory.kind,
      pinned: memory.pinned,
      author: memory.author.username,
      paths: memory.paths,
    },
    relations: [
      ...(memory.pull === null || memory.repo === null
        ? []
        : [relation('mentions', 'pull', `${memory.repo}#${memory.pull}`, `#${memory.pull}`)]),
      ...memory.paths.map(({ path, state }) =>
        relation(
          'mentions',
          'doc',
          `${repo}:${path}`,
          state === 'current' ? path : `${path}, ${state}`,
        ),
      ),
    ],
    recent: [],
  }
}

export async function describeDoc(place: Place, key: string): Promise<Described | null> {
  const colon = key.indexOf(':')
  const [repo, path] = [key.slice(0, colon), key.slice(colon + 1)]
  if (!/^[^/\s]+\/[^/\s]+$/.test(repo) || path === '') return null
  const file = await tryCall(place, getFile, { repo, path })
  if (!file || file.binary || file.encoding === 'base64') return null
  const headings = file.content
    .split('\n')
    .filter((line) => /^#{1,6} /.test(line))
    .slice(0, MAX_HEADINGS)
  return {
    found: {
      kind: 'doc',
      id: key,
      key,
      title: headings[0]?.replace(/^#+ /, '') ?? path.split('/').at(-1) ?? path,
      summary: file.content,
      url: file.html_url,
      repo,
      citation: `${key}:1@${file.commit_sha}`,
      updated_at: null,
    },
    fields: { headings, commit: file.commit_sha, body: file.content.slice(0, MAX_BODY_CHARS) },
    relations: [
      relation('contains', 'repo', repo, repo),
      ...(await mentionsIn(place, file.content, repo, key)),
    ],
  }
}

export async function describeTicket(place: Place, key: string): Promise<Described | null> {
  const ticket = await findTicket(place, key)
  if (ticket === null) return null
  const { title, status, provider, body } = ticket
  return {
    found: foundTicket(ticket),
    fields: { title, status, provider, body: body.slice(0, MAX_BODY_CHARS) },
    relations: [],
    recent: [],
  }
}

/**
 * The records of a repository as JSON lines, in the shapes of the REST interface, so that any script
 * can read them. `assets/docs/moving.md` describes the files.
 */
import { localBlob } from '#core/blobs.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Operation } from '#core/operation.ts'
import { RECORDS_FORMAT } from '#features/imports/index.ts'
import { actorOf } from '#features/accounts/index.ts'
import {
  listComments,
  listGivenReactions,
  listIssues,
  listLabels,
  listMilestones,
} from '#features/issues/index.ts'
import { listPulls, listReviews } from '#features/pulls/index.ts'
import { listReleases } from '#features/releases/index.ts'
import { getRepo, repoByPath } from '#features/repos/index.ts'
import type { Oid, Ref } from '#git'
import {
  closeSync,
  constants,
  copyFileSync,
  mkdirSync,
  openSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { CommandError } from './command.ts'

const PER_PAGE = 100

type Listing = { readonly items: readonly unknown[]; readonly next: string | null }

export type Exported = {
  readonly counts: Readonly<Record<string, number>>
  /** The heads of all pull requests, as refs: forks and gone branches are not among those of git. */
  readonly heads: readonly Ref[]
}

/** Reads as somebody who may see everything in the repository. */
class Reader {
  constructor(
    private readonly hearth: Hearth,
    private readonly caller: UserCaller,
    readonly repo: string,
  ) {}

  /** All pages of a list. Only one page is in memory. */
  async *list(
    operation: Operation,
    input: Record<string, unknown> = {},
  ): AsyncGenerator<Record<string, unknown>> {
    for (let page = 1; ; page++) {
      const found = (await call(this.hearth, operation, this.caller, {
        repo: this.repo,
        ...input,
        page,
        per_page: PER_PAGE,
      } as never)) as Listing
      yield* found.items as Record<string, unknown>[]
      if (found.next === null) return
    }
  }

  async all(operation: Operation, input: Record<string, unknown>): Promise<unknown[]> {
    return await Array.fromAsync(this.list(operation, input))
  }

  get(operation: Operation): Promise<unknown> {
    return call(this.hearth, operation, this.caller, { repo: this.repo } as never)
  }
}

/** Writes one record a line; returns how many. */
async function writeLines(path: string, records: AsyncIterable<unknown>): Promise<number> {
  const file = openSync(path, 'wx', 0o600)
  let count = 0
  try {
    for await (const record of records) {
      writeSync(file, `${JSON.stringify(record)}\n`)
      count++
    }
  } finally {
    closeSync(file)
  }
  return count
}

async function* withParts(
  records: AsyncIterable<Record<string, unknown>>,
  partsOf: (number: number) => Promise<Record<string, unknown>>,
): AsyncGenerator<unknown> {
  for await (const record of records) yield { ...record, ...(await partsOf(Number(record.number))) }
}

/** Copies the files of each release that passes to `files/<SHA-256>`, and counts them. */
class ReleaseFiles {
  count = 0

  constructor(
    private readonly hearth: Hearth,
    private readonly directory: string,
  ) {}

  async *copy(releases: AsyncIterable<Record<string, unknown>>): AsyncGenerator<unknown> {
    for await (const release of releases) {
      for (const { sha256, name } of release.assets as { sha256: string; name: string }[]) {
        const from = await localBlob(this.hearth, sha256)
        if (from === null) throw new CommandError(`the file ${name} of a release is missing`)
        mkdirSync(join(this.directory, 'files'), { recursive: true })
        copyFileSync(from, join(this.directory, 'files', sha256), constants.COPYFILE_FICLONE)
        this.count++
      }
      yield release
    }
  }
}

/** Remembers the head of each pull request that passes. */
class PullHeads {
  readonly refs: Ref[] = []

  async *collect(
    pulls: AsyncIterable<Record<string, unknown>>,
  ): AsyncGenerator<Record<string, unknown>> {
    for await (const pull of pulls) {
      const sha = (pull.head as { sha: Oid } | null)?.sha
      if (sha !== undefined)
        this.refs.push({ name: `refs/pull/${String(pull.number)}/head`, oid: sha, peeled: null })
      yield pull
    }
  }
}

/** Writes everything that people wrote in a repository. The directory must not exist. */
export async function exportRecords(
  hearth: Hearth,
  caller: UserCaller,
  repo: string,
  directory: string,
): Promise<Exported> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const reader = new Reader(hearth, caller, repo)
  const repo_id = repoByPath(hearth.db, repo)?.id ?? ''
  const partsOf = async (number: number) => {
    const given = Map.groupBy(
      listGivenReactions(hearth.db, repo_id, number),
      (one) => one.comment_id,
    )
    const by = (id: string | null) =>
      (given.get(id) ?? []).map(({ content, actor_id }) => ({
        content,
        actor: actorOf(hearth, actor_id),
      }))
    const comments = (await reader.all(listComments, { number })) as { id: string }[]
    return {
      reactions_by: by(null),
      comments: comments.map((comment) => ({ ...comment, reactions_by: by(comment.id) })),
    }
  }
  const write = (name: string, records: AsyncIterable<unknown>): Promise<number> =>
    writeLines(join(directory, `${name}.jsonl`), records)
  const files = new ReleaseFiles(hearth, directory)
  const heads = new PullHeads()
  const counts = {
    labels: await write('labels', reader.list(listLabels)),
    milestones: await write('milestones', reader.list(listMilestones, { state: 'all' })),
    issues: await write('issues', withParts(reader.list(listIssues, { state: 'all' }), partsOf)),
    pulls: await write(
      'pulls',
      withParts(heads.collect(reader.list(listPulls, { state: 'all' })), async (number) => ({
        ...(await partsOf(number)),
        reviews: await reader.all(listReviews, { number }),
      })),
    ),
    releases: await write('releases', files.copy(reader.list(listReleases))),
    files: files.count,
  }
  const repository = await reader.get(getRepo)
  writeFileSync(
    join(directory, 'repository.json'),
    `${JSON.stringify({ format: RECORDS_FORMAT, repository, counts }, null, 2)}\n`,
    { mode: 0o600 },
  )
  return { counts, heads: heads.refs }
}

/** Releases with their files. */
import { storeBlob } from '#core/blobs.ts'
import {
  branchRef,
  readRef,
  releaseImporters,
  tagRef,
  shortNameProblem,
  type ImportedRelease,
} from '#features/repos/index.ts'
import type { Oid } from '#git'
import { Refusal } from '#lib/errors.ts'
import { ResponseTooLong } from '#lib/outbound/outbound.ts'
import { ForgeError } from '../forges/forge-client.ts'
import type { ForeignAsset, ForeignRelease } from '../forges/forge.ts'
import { personId } from '../people.ts'
import { rewriteText } from '../rewrite-text.ts'
import type { ListStep, StepContext } from './context.ts'
import { orderOf, presentCommit } from './record-steps.ts'
import { placeFiles, prepareFiles, type ReadyFile } from './text-files.ts'

const MAX_FILES = 1000

type ReadyRelease = {
  readonly release: ForeignRelease
  readonly target: Oid | null
  readonly files: ImportedRelease['files']
  readonly problems: readonly string[]
  /** Those of its notes. */
  readonly named: readonly ReadyFile[]
}

/** The commit of the tag; for a draft, of what it will be made from. */
async function findTarget(
  context: StepContext,
  { tag_name, target }: ForeignRelease,
): Promise<Oid | null> {
  const { hearth, repo } = context
  const tag = readRef(hearth.db, repo.id, tagRef(tag_name))
  const branch = readRef(hearth.db, repo.id, branchRef(target))
  return (
    (await presentCommit(context, tag)) ??
    (await presentCommit(context, target)) ??
    branch ??
    readRef(hearth.db, repo.id, branchRef(repo.default_branch))
  )
}

/** Fetches a file into the blobs. One that cannot be had is a problem, not an end. */
async function fetchFile(
  { hearth, client, signal }: StepContext,
  asset: ForeignAsset,
): Promise<ImportedRelease['files'][number] | string> {
  const { max_asset_bytes } = hearth.settings.releases
  const left = (why: string): string => `the file ${asset.name.slice(0, 100)} was left out: ${why}`
  if (asset.size !== null && asset.size > max_asset_bytes)
    return left(`it has more than ${max_asset_bytes} bytes`)
  try {
    const response = await client.open(asset.url, max_asset_bytes)
    const blob = await storeBlob(hearth, response.body, { maxBytes: max_asset_bytes, signal })
    return { name: asset.name, content_type: asset.content_type, ...blob }
  } catch (error) {
    if (error instanceof Refusal || error instanceof ResponseTooLong) return left(error.message)
    if (error instanceof ForgeError && !error.isRateLimit && !error.isTemporary)
      return left(`status ${error.status}`)
    throw error
  }
}

async function prepareRelease(
  context: StepContext,
  release: ForeignRelease,
): Promise<ReadyRelease> {
  const { hearth, repo } = context
  const [importer] = releaseImporters.all(hearth)
  const there = new Set(importer?.filesOf(hearth.db, repo.id, release.tag_name))
  const files: ImportedRelease['files'][number][] = []
  const problems: string[] = []
  for (const asset of release.assets.slice(0, MAX_FILES)) {
    if (there.has(asset.name)) continue
    const file = await fetchFile(context, asset)
    if (typeof file === 'string') problems.push(file)
    else files.push(file)
  }
  const isThere = importer?.filesOf(hearth.db, repo.id, release.tag_name) != null
  const named = isThere ? [] : await prepareFiles(context, [release.body])
  return { release, target: await findTarget(context, release), files, problems, named }
}

export const releasesStep: ListStep<ForeignRelease, ReadyRelease> = {
  name: 'releases',
  // Each waits for its files.
  batch: 1,
  read: ({ forge }, cursor) => forge.releases(cursor),
  prepare: prepareRelease,
  place: (tx, around, { release, target, files, problems, named }) => {
    const { hearth, repo, people } = around
    const { tag_name } = release
    const [importer] = releaseImporters.all(hearth)
    const nameProblem = shortNameProblem('tags', tag_name)
    if (nameProblem !== null)
      return `the release ${tag_name.slice(0, 60)} was left out: the name of its tag ${nameProblem}`
    if (target === null || !importer)
      return `the release ${tag_name.slice(0, 60)} was left out: there is no commit for it`
    const what = `release ${tag_name.slice(0, 60)}`
    const { context, use } = placeFiles(tx, around, named, { ...release, what })
    const { id, left } = importer.add(tx, repo, {
      tag_name,
      target_name: release.target.slice(0, 255) || repo.default_branch,
      target,
      name: release.name,
      body: rewriteText(release.body, context.texts),
      prerelease: release.prerelease,
      author_id: personId(tx, people, release.author),
      created_ms: release.created_ms,
      order: orderOf(release.id),
      published_ms: release.published_ms,
      files,
    })
    use(id, release.body)
    const all = [...problems, ...left]
    return all.length === 0 ? null : all.join('; ').slice(0, 1000)
  },
}

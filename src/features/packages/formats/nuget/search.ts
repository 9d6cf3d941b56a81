/** Search and completion of NuGet's protocol 3. */
import type { DoorRequest } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import { listPackages } from '../../list-packages.ts'
import { readPackageDocument } from '../../read-package-document.ts'
import { numberIn } from '../upload.ts'
import type { SearchVersion } from './documents.ts'

const DEFAULT_TAKE = 20
const MAX_TAKE = 100
const MAX_SKIP = 3_000

type Wanted = { readonly prerelease: boolean; readonly semver2: boolean }

const wantedOf = ({ query }: DoorRequest): Wanted => ({
  prerelease: query.get('prerelease')?.toLowerCase() === 'true',
  semver2: (query.get('semVerLevel') ?? '1').startsWith('2'),
})

/** The listed versions that the client can use, the lowest first. */
async function versionsOf(
  door: DoorRequest,
  name: string,
  wanted: Wanted,
): Promise<SearchVersion[]> {
  const { body } = await door.call(readPackageDocument, name, { kind: 'search' })
  const versions = JSON.parse(new TextDecoder().decode(body)) as SearchVersion[]
  return versions.filter(
    ({ prerelease, semver2 }) => (wanted.prerelease || !prerelease) && (wanted.semver2 || !semver2),
  )
}

/** The page of packages that `skip` and `take` name. */
async function findPackages(door: DoorRequest) {
  const take = Math.max(1, numberIn(door.query.get('take'), DEFAULT_TAKE, MAX_TAKE))
  const skip = numberIn(door.query.get('skip'), 0, MAX_SKIP)
  return await door.callOther(listPackages, {
    workspace: door.workspace,
    package_type: 'nuget',
    q: (door.query.get('q') ?? '').slice(0, 200),
    page: Math.floor(skip / take) + 1,
    per_page: take,
  })
}

export async function search(door: DoorRequest): Promise<Response> {
  const { items, total = 0 } = await findPackages(door)
  const data: unknown[] = []
  for (const { name } of items) {
    const versions = await versionsOf(door, name, wantedOf(door))
    const latest = versions.at(-1)
    if (latest === undefined) continue
    const { '@type': _, dependencyGroups: _groups, ...entry } = latest.entry
    data.push({
      '@type': 'Package',
      ...entry,
      totalDownloads: versions.reduce((sum, { downloads }) => sum + downloads, 0),
      versions: versions.map(({ version, downloads }) => ({ version, downloads })),
    })
  }
  return jsonResponse({ totalHits: total, data })
}

/** Ids that match, or with `id` the numbers of that package. */
export async function autocomplete(door: DoorRequest): Promise<Response> {
  const id = door.query.get('id')
  if (id !== null) {
    const versions = await versionsOf(door, id.slice(0, 300), wantedOf(door))
    return jsonResponse({ totalHits: versions.length, data: versions.map(({ normal }) => normal) })
  }
  const { items, total = 0 } = await findPackages(door)
  return jsonResponse({ totalHits: total, data: items.map(({ name }) => name) })
}

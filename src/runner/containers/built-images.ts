/** Images that jobs have built: which are here, and which are deleted again. */
import { DAY, MINUTE, systemClock } from '#lib/time.ts'
import { BUILT, BUILT_LABEL, podman } from './podman.ts'

/** Older ones are built anew, so that what they are made of does not grow old. */
const MAX_AGE_MS = 7 * DAY
const MAX_IMAGES = 30
/** A job may be about to start a container of one that is younger. */
const MIN_AGE_MS = 60 * MINUTE

/** The name of the image that is built from what has this hash. */
export const builtImage = (hash: string): string => `${BUILT}:${hash}`

const ageOf = (createdSeconds: number): number => systemClock.now() - createdSeconds * 1_000

export async function isBuilt(image: string): Promise<'no' | 'old' | 'fresh'> {
  const format = '{{.Created.Unix}}'
  const found = await podman(['image', 'inspect', '--format', format, '--', image])
  if (found.exit !== 0) return 'no'
  return ageOf(Number(found.output)) < MAX_AGE_MS ? 'fresh' : 'old'
}

type Listed = { readonly Id: string; readonly Names?: readonly string[]; readonly Created: number }

/** Deletes the oldest images beyond those that are kept, and what newer ones of a name replaced. */
export async function evictBuiltImages(): Promise<void> {
  const filter = ['--filter', `label=${BUILT_LABEL}`]
  const found = await podman(['images', '--no-trunc', ...filter, '--format', 'json'])
  if (found.exit !== 0) return
  const images = (JSON.parse(found.output || '[]') as readonly Listed[]).toSorted(
    (a, b) => b.Created - a.Created,
  )
  const isNamed = ({ Names = [] }: Listed): boolean => Names.some((name) => name.startsWith(BUILT))
  const named = images.filter(isNamed)
  const rest = [...named.slice(MAX_IMAGES), ...images.filter((one) => !isNamed(one))]
  // One that a container uses stays.
  for (const { Id, Created } of rest)
    if (ageOf(Created) > MIN_AGE_MS) await podman(['rmi', '--', Id])
}

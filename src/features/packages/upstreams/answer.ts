/** What doors answer from upstreams. */
import { decide } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../door/door-request.ts'
import { openPackageUpstream } from './open-package-upstream.ts'
import { findOwnName, type OwnName } from './own-names.ts'
import type { Registry, UpstreamRead } from './registry.ts'
import { cargoRegistry } from './registries/cargo.ts'
import { composerRegistry } from './registries/composer.ts'
import { containerRegistry } from './registries/container.ts'
import { goRegistry } from './registries/go.ts'
import { mavenRegistry } from './registries/maven.ts'
import { npmRegistry } from './registries/npm.ts'
import { nugetRegistry } from './registries/nuget.ts'
import { pypiRegistry } from './registries/pypi.ts'
import { rubygemsRegistry } from './registries/rubygems.ts'
import { UpstreamFailure } from './fetch.ts'
import { isUpstreamType, type UpstreamType } from './schema.ts'
import { Source } from './source.ts'
import { findUpstream, type UpstreamRow } from './store.ts'

const REGISTRIES: Readonly<Record<UpstreamType, Registry>> = {
  npm: npmRegistry,
  pypi: pypiRegistry,
  cargo: cargoRegistry,
  go: goRegistry,
  maven: mavenRegistry,
  container: containerRegistry,
  nuget: nugetRegistry,
  rubygems: rubygemsRegistry,
  composer: composerRegistry,
}

/** Null for members; else why the caller may not read through. */
function accessRefusal(hearth: Hearth, door: DoorRequest): Refusal | null {
  try {
    decide(openPackageUpstream.access, door.caller, { workspace: door.workspace }, hearth.facts)
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function ownName(
  hearth: Hearth,
  door: DoorRequest,
  upstream: UpstreamRow,
  registry: Registry,
  { name, otherNames = [] }: UpstreamRead,
): OwnName | null {
  if (registry.isOwn?.({ hearth, door }, name) ?? false) return { isPublic: false }
  for (const one of [name, ...otherNames]) {
    const own = findOwnName(hearth.db, upstream, one)
    if (own !== null) return own
  }
  return null
}

/** What is wrong with the document of an upstream is no fault of this forge. */
async function orUnavailable<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    throw new Refusal('unavailable', `the upstream of this workspace failed: ${error.message}`)
  }
}

/**
 * The answer of the upstream of the workspace; null when the format of the package answers: without
 * an upstream, for names of the workspace, and for callers who do not belong to it.
 */
export async function answerFromUpstream(
  hearth: Hearth,
  door: DoorRequest,
): Promise<Response | null> {
  const { type } = door
  if (door.method !== 'GET' || !isUpstreamType(type)) return null
  const facts = hearth.facts.workspace(door.workspace, door.caller)
  const upstream = facts && findUpstream(hearth.db, facts.id, type)
  // To those who do not belong here, every name that is not public sounds the same.
  if (upstream === null || facts?.role == null) return null
  const registry = REGISTRIES[type]
  const read = registry.parse(door)
  if (read === null) return null
  const own = ownName(hearth, door, upstream, registry, read)
  const refusal = accessRefusal(hearth, door)
  // The answer must not tell which names are private ones of the workspace.
  if (refusal !== null && own?.isPublic !== true) throw refusal
  if (own !== null) return null
  const input = { workspace: door.workspace, package_type: type }
  const opened = await door.callOther(openPackageUpstream, input)
  return orUnavailable(read.answer(new Source(hearth, door, opened, registry.send)))
}

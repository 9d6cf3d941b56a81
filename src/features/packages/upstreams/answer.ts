/** What doors answer from upstreams. */
import { decide } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../door/door-request.ts'
import { openPackageUpstream } from './open-package-upstream.ts'
import { findOwnName, type OwnName } from './own-names.ts'
import type { Registry } from './registry.ts'
import { cargoRegistry } from './registries/cargo.ts'
import { containerRegistry } from './registries/container.ts'
import { goRegistry } from './registries/go.ts'
import { mavenRegistry } from './registries/maven.ts'
import { npmRegistry } from './registries/npm.ts'
import { pypiRegistry } from './registries/pypi.ts'
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
  name: string,
): OwnName | null {
  const isOwn = registry.isOwn?.({ hearth, door }, name) ?? false
  return isOwn ? { isPublic: false } : findOwnName(hearth.db, upstream, name)
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
  const own = ownName(hearth, door, upstream, registry, read.name)
  const refusal = accessRefusal(hearth, door)
  // The answer must not tell which names are private ones of the workspace.
  if (refusal !== null && own?.isPublic !== true) throw refusal
  if (own !== null) return null
  const input = { workspace: door.workspace, package_type: type }
  const opened = await door.callOther(openPackageUpstream, input)
  return read.answer(new Source(hearth, door, opened, registry.send))
}

/** What doors answer from upstreams. */
import { decide } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../door/door-request.ts'
import { getPackage } from '../get-package.ts'
import { openPackageUpstream } from './open-package-upstream.ts'
import { findOwnName, type OwnName } from './own-names.ts'
import { isAllowed, type Here, type Registry, type UpstreamRead } from './registry.ts'
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
import { missingPackage, Source } from './source.ts'
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

/** The first name of a request that is one of the workspace; null for none. */
function findOwn(
  { hearth, door }: Here,
  upstream: UpstreamRow,
  registry: Registry,
  { name, otherNames = [] }: UpstreamRead,
): (OwnName & { readonly name: string }) | null {
  if (registry.isOwn?.({ hearth, door }, name) ?? false) return { name, isPublic: false }
  for (const one of [name, ...otherNames]) {
    const own = findOwnName(hearth.db, upstream, one)
    if (own !== null) return { name: one, ...own }
  }
  return null
}

/** Whether the caller may know that the workspace has the package. */
function isVisible({ hearth, door }: Here, registry: Registry, package_name: string): boolean {
  if (registry.isVisible) return registry.isVisible({ hearth, door }, package_name)
  const target = { workspace: door.workspace, package_type: door.type, package_name }
  return isAllowed(() => decide(getPackage.access, door.caller, target, hearth.facts))
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

/** A package that the caller may not see is missing here in the words of one that is missing there. */
async function hideName(
  here: Here,
  registry: Registry,
  name: string,
  answer: Promise<Response>,
): Promise<Response> {
  try {
    return await answer
  } catch (error) {
    const isMissing = error instanceof Refusal && error.code === 'not_found'
    throw isMissing && !isVisible(here, registry, name)
      ? missingPackage(here.door.type, name)
      : error
  }
}

/**
 * Answers from the upstream of the workspace. The format of the package answers instead without an
 * upstream, for names of the workspace, and for callers who do not belong to it.
 */
export async function answerThroughUpstream(
  hearth: Hearth,
  door: DoorRequest,
  answerHere: () => Promise<Response>,
): Promise<Response> {
  const { type } = door
  if (door.method !== 'GET' || !isUpstreamType(type)) return answerHere()
  const facts = hearth.facts.workspace(door.workspace, door.caller)
  const upstream = facts && findUpstream(hearth.db, facts.id, type)
  // To those who do not belong here, every name that is not public sounds the same.
  if (upstream === null || facts?.role == null) return answerHere()
  const registry = REGISTRIES[type]
  const read = registry.parse(door)
  if (read === null) return answerHere()
  const own = findOwn({ hearth, door }, upstream, registry, read)
  const refusal = accessRefusal(hearth, door)
  // The answer must not tell which names are private ones of the workspace.
  if (refusal !== null && own?.isPublic !== true) throw refusal
  if (own !== null) return hideName({ hearth, door }, registry, own.name, answerHere())
  const input = { workspace: door.workspace, package_type: type }
  const opened = await door.callOther(openPackageUpstream, input)
  return orUnavailable(read.answer(new Source(hearth, door, opened, registry.send)))
}

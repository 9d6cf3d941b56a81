/** `npm publish`, and the other changes that npm sends as a changed packument. */
import { isObject, objectOf, type JsonObject } from '#lib/json-value.ts'
import type { DigestedBlob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { conflict, invalid, Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import { deletePackageVersion } from '../../delete-package-version.ts'
import { markPackageVersion } from '../../mark-package-version.ts'
import { publishPackageVersion } from '../../publish-package-version.ts'
import { readPackageDocument } from '../../read-package-document.ts'
import { textOf } from '../json.ts'
import { storeBytes, storeUpload } from '../upload.ts'
import { slimPiece } from './documents.ts'
import { isNpmVersion, parseDistTag } from './names.ts'
import { MAX_DOCUMENT_BYTES, readPublishBody } from './publish-body.ts'
import { readPackageJson } from './tarball.ts'

const MAX_README_BYTES = 512 * 1024

/** The manifest of the one version in the document. Throws 422 for anything else. */
function readManifest(document: JsonObject, name: string): JsonObject & { version: string } {
  const versions = Object.entries(objectOf(document.versions))
  const [[version, manifest] = ['', null]] = versions
  if (versions.length !== 1 || !isObject(manifest))
    throw invalid('versions', 'one version is published at a time')
  if (manifest.name !== name || (document.name !== undefined && document.name !== name))
    throw invalid(
      'name',
      `the package is called ${String(manifest.name)}, the address says ${name}`,
    )
  if (manifest.version !== version || !isNpmVersion(version))
    throw invalid('version', `${version.slice(0, 100)} is not a version, such as 1.2.3`)
  return { ...manifest, version }
}

/** Compares the tarball with what the client says of it. Throws 400 for other bytes. */
function requireSameBytes(
  document: JsonObject,
  file: string,
  manifest: JsonObject,
  blob: DigestedBlob,
): void {
  const { length } = objectOf(objectOf(document._attachments)[file])
  if (length !== undefined && length !== blob.size)
    throw new Refusal('bad_request', `the tarball has ${blob.size} bytes, not ${String(length)}`)
  const { integrity, shasum } = objectOf(manifest.dist)
  const sha512 = `sha512-${Buffer.from(blob.digests.sha512 ?? '', 'hex').toString('base64')}`
  const isOther =
    (typeof integrity === 'string' && integrity.startsWith('sha512-') && integrity !== sha512) ||
    (typeof shasum === 'string' && shasum !== '' && shasum !== blob.digests.sha1)
  if (isOther)
    throw new Refusal('bad_request', 'the tarball is not the one whose digest was sent with it')
}

/** The file decides: its name and version are those of the version. */
async function requireSameManifest(
  hearth: Hearth,
  blob: DigestedBlob,
  manifest: JsonObject,
): Promise<void> {
  const packed = await readPackageJson(hearth, blob)
  if (packed.name !== manifest.name || packed.version !== manifest.version)
    throw invalid(
      'version',
      `package.json in the tarball says ${String(packed.name)} ${String(packed.version)}, the client ${String(manifest.name)} ${String(manifest.version)}`,
    )
}

async function storeReadme(
  hearth: Hearth,
  document: JsonObject,
  manifest: JsonObject,
): Promise<string | null> {
  const readme = textOf(manifest.readme) ?? textOf(document.readme)
  if (readme === null || readme.startsWith('ERROR: No README')) return null
  const bytes = new TextEncoder().encode(readme).subarray(0, MAX_README_BYTES)
  return (await storeBytes(hearth, bytes)).sha256
}

/** What is kept of the manifest. The registry says the rest itself. */
function metadataOf(manifest: JsonObject): JsonObject {
  const { dist: _, readme: _readme, deprecated: _deprecated, ...kept } = manifest
  return { ...kept, _id: `${String(manifest.name)}@${String(manifest.version)}` }
}

/** How much longer base64 is than its bytes. */
const BASE64_RATIO = 4 / 3

async function publish(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  document: JsonObject,
  [file, blob]: readonly [string, DigestedBlob],
): Promise<Response> {
  const manifest = readManifest(document, name)
  requireSameBytes(document, file, manifest, blob)
  await requireSameManifest(hearth, blob, manifest)
  const readme_sha256 = await storeReadme(hearth, document, manifest)
  const tags = Object.entries(objectOf(document['dist-tags']))
    .filter(([, version]) => version === manifest.version)
    .map(([tag]) => parseDistTag(tag))
  const metadata = metadataOf(manifest)
  const { outcome } = await door.call(publishPackageVersion, name, {
    publication: {
      version: manifest.version,
      digest: `sha256:${blob.sha256}`,
      metadata,
      piece: slimPiece(metadata),
      files: [
        {
          path: `${name.split('/').at(-1)}-${manifest.version}.tgz`,
          sha256: blob.sha256,
          size: blob.size,
          digests: blob.digests,
          content_type: 'application/octet-stream',
        },
      ],
      tags,
      description: textOf(manifest.description),
      readme_sha256,
    },
  })
  return jsonResponse({ ok: true, id: name, success: true }, outcome === 'created' ? 201 : 200)
}

type Packument = { _rev: string; versions: Record<string, { deprecated?: string }> }

/** The versions as they are, for whoever changes them. Throws 409 for a document that is old. */
async function readCurrent(
  door: DoorRequest,
  name: string,
  document: JsonObject,
): Promise<Packument> {
  const { body } = await door.call(readPackageDocument, name, { kind: 'full' })
  const current: Packument = JSON.parse(new TextDecoder().decode(body))
  if (typeof document._rev === 'string' && document._rev !== current._rev)
    throw conflict('conflict', `${name} was changed meanwhile: run the command again`)
  return current
}

/** `npm owner` and `npm star`. npm asks again for a minute after an answer of 500 and more. */
const onlyOnPage = (door: DoorRequest, name: string, document: JsonObject): Refusal =>
  new Refusal(
    'forbidden',
    isObject(document.users)
      ? 'packages have no stars here: star the repository'
      : `who may publish ${name} is set on its page: open ${name} under Packages of the workspace ${door.workspace}`,
  )

/** Deprecates the versions whose text changed, and deletes those that are missing. */
async function changeVersions(
  door: DoorRequest,
  name: string,
  document: JsonObject,
): Promise<Response> {
  if (!isObject(document.versions)) throw onlyOnPage(door, name, document)
  const { versions } = await readCurrent(door, name, document)
  const wanted = document.versions
  for (const [version, { deprecated }] of Object.entries(versions)) {
    const there = wanted[version]
    if (there === undefined && typeof document._rev === 'string') {
      await door.call(deletePackageVersion, name, { version })
      continue
    }
    const text = isObject(there) ? textOf(there.deprecated) : null
    if (text !== (deprecated ?? null))
      await door.call(markPackageVersion, name, { version, deprecated: text })
  }
  return jsonResponse({ ok: true, id: name, success: true })
}

/** `PUT /<name>`: with an attachment it publishes; else it changes what is there. */
export async function putPackage(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
): Promise<Response> {
  door.authorize(publishPackageVersion, name)
  const { max_file_bytes } = hearth.settings.packages
  const maxBodyBytes = Math.ceil(max_file_bytes * BASE64_RATIO) + MAX_DOCUMENT_BYTES
  const { document, attachments } = await readPublishBody(door.stream(maxBodyBytes), (bytes) =>
    storeUpload(hearth, door, bytes, { ownsPieces: true, digests: ['sha1', 'sha512'] }),
  )
  if (!isObject(document)) throw new Refusal('bad_request', 'the body is not a JSON object')
  const tarball = [...attachments].find(([file]) => file.endsWith('.tgz'))
  return tarball
    ? publish(hearth, door, name, document, tarball)
    : changeVersions(door, name, document)
}

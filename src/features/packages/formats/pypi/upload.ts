/** The form that twine, uv and other tools send (the upload interface of PyPI). */
import type { DigestedBlob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { normalPythonName } from '#lib/lock-files/python.ts'
import { readMultipart } from '#lib/multipart.ts'
import { normalPythonText } from '#lib/versions/pep440.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { publishPackageVersion } from '../../publish-package-version.ts'
import { requirePublisher, storeBytes, storeUpload, textResponse, uploadPath } from '../upload.ts'
import { readDistribution, type Distribution } from './read-distribution.ts'

const MAX_FORM_BYTES = 4 * 1024 ** 2
const MAX_FIELD_BYTES = 2 * 1024 ** 2

type Sent = {
  readonly fields: ReadonlyMap<string, string>
  readonly file: string
  readonly blob: DigestedBlob
}

async function readField(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of stream) {
    size += part.length
    if (size > MAX_FIELD_BYTES)
      throw new Refusal('too_large', 'a field of the form has more than 2 MiB')
    parts.push(Buffer.from(part))
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Fields that count. The others repeat what the file says. */
const READ_FIELDS = new Set([':action', 'name', 'version', 'sha256_digest'])

async function receive(hearth: Hearth, door: DoorRequest): Promise<Sent> {
  const body = door.stream(hearth.settings.packages.max_file_bytes + MAX_FORM_BYTES)
  const fields = new Map<string, string>()
  let sent: { file: string; blob: DigestedBlob } | null = null
  for await (const part of readMultipart(body, door.headers.get('content-type') ?? '')) {
    if (part.name !== 'content') {
      if (READ_FIELDS.has(part.name)) fields.set(part.name, await readField(part.stream))
      continue
    }
    if (sent !== null) throw invalid('content', 'the form has two files')
    const blob = await storeUpload(hearth, door, part.stream)
    sent = { file: part.filename ?? '', blob }
  }
  if (sent === null) throw invalid('content', 'the form has no file called content')
  return { fields, ...sent }
}

/** What the client says beside the file has to agree with it. */
function requireAgreement({ fields, file, blob }: Sent, found: Distribution): void {
  const name = fields.get('name')
  const version = fields.get('version')
  const digest = fields.get('sha256_digest')
  if (name !== undefined && normalPythonName(name) !== normalPythonName(found.name))
    throw invalid('name', `${file} holds ${found.name}, not ${name.slice(0, 100)}`)
  if (version !== undefined && normalPythonText(version) !== found.version)
    throw invalid('version', `${file} holds version ${found.version}, not ${version.slice(0, 100)}`)
  if (digest !== undefined && digest !== '' && digest.toLowerCase() !== blob.sha256)
    throw new Refusal('bad_request', `${file} has the SHA-256 ${blob.sha256}: send it again`)
}

const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value !== 'UNKNOWN' ? value : null

export async function upload(hearth: Hearth, door: DoorRequest): Promise<Response> {
  requirePublisher(hearth, door)
  const sent = await receive(hearth, door)
  const action = sent.fields.get(':action') ?? 'file_upload'
  if (action !== 'file_upload')
    throw new Refusal('bad_request', `${action.slice(0, 50)} is not possible here; file_upload is`)
  const { file, blob } = sent
  const found = await readDistribution(file, await uploadPath(hearth, blob), blob.size)
  requireAgreement(sent, found)
  const document = found.kind === 'wheel' ? await storeBytes(hearth, found.document) : null
  const readme = found.readme === null ? null : await storeBytes(hearth, Buffer.from(found.readme))
  const fileAt = (path: string, { sha256, size }: DigestedBlob, content_type: string) => ({
    path,
    sha256,
    size,
    digests: {},
    content_type,
  })
  await door.call(publishPackageVersion, found.name, {
    publication: {
      version: found.version,
      digest: `sha256:${blob.sha256}`,
      metadata: found.fields,
      files: [
        fileAt(file, blob, 'application/octet-stream'),
        // What installers read in place of the wheel (PEP 658).
        ...(document === null
          ? []
          : [fileAt(`${file}.metadata`, document, 'text/plain; charset=utf-8')]),
      ],
      description: textIn(found.fields.summary),
      readme_sha256: readme?.sha256 ?? null,
      addsFiles: true,
    },
  })
  return textResponse('', 200)
}

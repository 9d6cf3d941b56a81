/** Reads the bodies of forms: fields, one file that is streamed, or several small files. */
import { Refusal } from '#lib/errors.ts'
import type { Part } from '#lib/multipart.ts'
import { Fields, type UploadedFile, type UploadStream } from './site.ts'
import { t } from './text.ts'

/** Of all fields of a form together. A file that the form sends is not counted. */
export const MAX_FIELDS_BYTES = 4 * 1024 * 1024
/** For visitors without an account, whose forms (sign in, register, reset) are short. */
export const MAX_ANONYMOUS_BYTES = 64 * 1024

/** After a refusal up to this much of a file is read and dropped, so that the browser listens. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

type BodyLimits = { readonly maxBytes: number; readonly tooLarge?: () => Error }

/** The body of a request, whose bytes, fields and time its reader limits. */
export type FormBody = {
  /** The text fields by name. */
  form(limits: BodyLimits): Promise<Map<string, string[]>>
  /** The parts of a multipart form, as they arrive. */
  parts(limits: BodyLimits): AsyncGenerator<Part>
}

/** What a form sent. `files` is null when they were too large together. */
export type SentForm = {
  fields: Fields
  file?: UploadStream | null
  files?: readonly UploadedFile[] | null
  /** Why a file for a text was not taken. */
  refusal?: Refusal | undefined
  /** Reads and drops the rest of a streamed file. */
  discardRest?: () => Promise<void>
}

const tooLarge = (): Refusal => new Refusal('too_large', t('This form is too large.'))

/** Browsers send the lines of a text field with CR LF. */
const normalizeLineEnds = (text: string): string => text.replaceAll('\r\n', '\n')

function addField(values: Map<string, string[]>, name: string, value: string): void {
  const before = values.get(name)
  if (before) before.push(normalizeLineEnds(value))
  else values.set(name, [normalizeLineEnds(value)])
}

/** Reads a form without files. */
export const readFields = async (body: FormBody, maxBytes: number): Promise<Fields> =>
  new Fields(await body.form({ maxBytes, tooLarge }))

/** Reads a text field. Throws 413 when it has more than `maxBytes`. */
async function readText(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let left = maxBytes
  for await (const piece of stream) {
    if ((left -= piece.length) < 0) throw tooLarge()
    pieces.push(new Uint8Array(piece))
  }
  return Buffer.concat(pieces)
}

async function discard(stream: AsyncIterable<Uint8Array>): Promise<void> {
  let bytes = 0
  try {
    for await (const piece of stream) if ((bytes += piece.length) > MAX_DISCARDED_BYTES) return
  } catch {
    // The client has disconnected.
  }
}

/** Reads the fields of a form that ends with one file. The file is not read yet. */
export async function readUploadForm(body: FormBody): Promise<SentForm> {
  // The operation that takes the file limits its size.
  const parts = body.parts({ maxBytes: Infinity })
  const values = new Map<string, string[]>()
  let bytes = 0
  for (;;) {
    const { done, value: part } = await parts.next()
    if (done) return { fields: new Fields(values), file: null }
    const { name, filename, stream, type } = part
    if (filename !== null) {
      // Browsers send a file without a name when none was chosen.
      const file =
        filename === '' ? null : { name: filename, bytes: { stream, type, length: null } }
      return { fields: new Fields(values), file, discardRest: () => discard(stream) }
    }
    const text = await readText(stream, MAX_FIELDS_BYTES - bytes)
    bytes += text.length
    addField(values, name, text.toString('utf8'))
  }
}

/** The name of the file input of a text field has this before the name of the field. */
export const ATTACH_PREFIX = 'attach:'
/** Of one form. */
const MAX_ATTACHED_FILES = 20

/**
 * Files of one field, each of which is stored as it arrives. The field has what `store` answers, so a
 * refused form keeps them. The operation behind `store` limits their size and number.
 */
export type KeptFiles = {
  readonly field: string
  readonly store: (file: UploadStream, fields: Fields) => Promise<string>
}

/**
 * Reads a form whose texts may have files. Each file goes to `attach` as it arrives, with the
 * fields before it, and the Markdown that this returns is added to the text. After a refusal the
 * other fields are still read, so that nothing that was typed is lost.
 */
export async function readFormWithAttachments(
  body: FormBody,
  maxFileBytes: number,
  attach: (file: UploadStream, fields: Fields) => Promise<string>,
  keep: KeptFiles | null = null,
): Promise<SentForm> {
  const maxBytes = keep
    ? Infinity
    : MAX_FIELDS_BYTES + MAX_ATTACHED_FILES * maxFileBytes + MAX_DISCARDED_BYTES
  const values = new Map<string, string[]>()
  const links = new Map<string, string[]>()
  let refusal: Refusal | undefined
  let [textBytes, files] = [0, 0]
  for await (const { name, filename, stream, type } of body.parts({ maxBytes, tooLarge })) {
    if (filename === null) {
      const text = await readText(stream, MAX_FIELDS_BYTES - textBytes)
      textBytes += text.length
      addField(values, name, text.toString('utf8'))
    } else if (filename !== '' && name === keep?.field && !refusal) {
      const file = { name: filename, bytes: { stream, type, length: null } }
      try {
        addField(values, name, await keep.store(file, new Fields(values)))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        refusal = error
      }
    } else if (filename !== '' && name.startsWith(ATTACH_PREFIX) && !refusal) {
      const field = name.slice(ATTACH_PREFIX.length)
      try {
        if (++files > MAX_ATTACHED_FILES)
          throw new Refusal(
            'invalid',
            t('A text takes {maxAttachedFiles} files at once.', {
              maxAttachedFiles: MAX_ATTACHED_FILES,
            }),
          )
        const file = { name: filename, bytes: { stream, type, length: null } }
        links.set(field, [...(links.get(field) ?? []), await attach(file, new Fields(values))])
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        refusal = error
      }
    }
  }
  for (const [field, added] of links) {
    const text = (values.get(field)?.at(-1) ?? '').trimEnd()
    values.set(field, [[...(text === '' ? [] : [text]), added.join('\n')].join('\n\n')])
  }
  return { fields: new Fields(values), refusal }
}

/** Reads a form with several files into memory. `files` is null beyond `maxBytes`. */
export async function readFilesForm(body: FormBody, maxBytes: number): Promise<SentForm> {
  const limits = { maxBytes: maxBytes + MAX_FIELDS_BYTES + MAX_DISCARDED_BYTES, tooLarge }
  const values = new Map<string, string[]>()
  const files: UploadedFile[] = []
  let fileBytes = 0
  let textBytes = 0
  for await (const { name, filename, stream } of body.parts(limits)) {
    if (filename === null) {
      const text = await readText(stream, MAX_FIELDS_BYTES - textBytes)
      textBytes += text.length
      addField(values, name, text.toString('utf8'))
      continue
    }
    const pieces: Uint8Array[] = []
    for await (const piece of stream) {
      fileBytes += piece.length
      if (fileBytes > maxBytes + MAX_DISCARDED_BYTES) throw tooLarge()
      if (fileBytes <= maxBytes) pieces.push(new Uint8Array(piece))
    }
    if (filename !== '') files.push({ name: filename, data: Buffer.concat(pieces) })
  }
  return { fields: new Fields(values), files: fileBytes > maxBytes ? null : files }
}

/** The thread that answers questions about documents of upstreams. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'bun'
import { findJsonExcess } from '#lib/parse-json.ts'
import { serveRequests } from '#lib/threads/worker-requests.ts'
import type { DocumentAnswer, DocumentQuestion, FoundFile } from './documents.ts'
import { cargoDocument } from './registries/cargo-document.ts'
import { composerDocument } from './registries/composer-document.ts'
import { npmDocument } from './registries/npm-document.ts'
import { nugetDocument } from './registries/nuget-document.ts'
import { pypiDocument } from './registries/pypi-document.ts'
import type { UpstreamType } from './schema.ts'

/** What a registry's document says to a question: a rendering, a file, or nothing. */
export type ReadDocument = (text: string, question: DocumentQuestion) => string | FoundFile | null

/** Memory grows with the values of a document. */
const JSON_LIMITS = { maxDepth: 100, maxValues: 8_000_000 }

const READERS: Readonly<Record<UpstreamType, ReadDocument | null>> = {
  npm: npmDocument,
  pypi: pypiDocument,
  cargo: cargoDocument,
  go: null,
  maven: null,
  container: null,
  nuget: nugetDocument,
  rubygems: null,
  composer: composerDocument,
}

function answer(question: DocumentQuestion): DocumentAnswer {
  try {
    const bytes = readFileSync(question.path)
    const excess = findJsonExcess(bytes, JSON_LIMITS)
    if (excess !== null) return { kind: 'fault', reason: 'it has too many levels or values' }
    const said = READERS[question.type]?.(bytes.toString('utf8'), question) ?? null
    if (said === null) return { kind: 'missing' }
    if (typeof said !== 'string') return { kind: 'found', file: said }
    const body = new TextEncoder().encode(said)
    return { kind: 'rendered', body, gzip: gzipSync(body) }
  } catch (error) {
    // Parsers throw SyntaxError and RangeError for what is broken or nested too deeply.
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'it is broken'
    return { kind: 'fault', reason }
  }
}

serveRequests(answer)

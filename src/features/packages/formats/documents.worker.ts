/** The thread that reads documents of packages: a hostile one must not block other requests. */
import { serveRequests } from '#lib/threads/worker-requests.ts'
import { parseXml } from '#lib/xml.ts'
import type { DocumentReading, DocumentRequest } from './document-reader.ts'

function read({ kind, text }: DocumentRequest): DocumentReading {
  try {
    if (kind === 'toml') return { value: Bun.TOML.parse(text) }
    if (kind === 'yaml') return { value: Bun.YAML.parse(text) }
    const root = parseXml(text)
    return typeof root === 'string' ? { fault: root } : { value: root }
  } catch (error) {
    // The parsers throw SyntaxError and RangeError for what is broken, nested or repeated too much.
    return { fault: error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read' }
  }
}

serveRequests(read)

/**
 * The official suite (`@modelcontextprotocol/conformance`), run as its command line with the
 * runtime of the tests.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SUITE = join(
  import.meta.dir,
  '..',
  '..',
  '..',
  'node_modules',
  '@modelcontextprotocol',
  'conformance',
  'dist',
  'index.js',
)

export type Run = { readonly status: number; readonly out: string }

/** `heard` is told everything that the suite has printed so far, each time there is more. */
export async function suite(
  args: readonly string[],
  heard: (out: string) => void = () => {},
): Promise<Run> {
  const results = mkdtempSync(join(tmpdir(), 'hearth-conformance-'))
  try {
    const child = Bun.spawn([process.execPath, SUITE, ...args, '--output-dir', results], {
      cwd: results,
      stdout: 'pipe',
      stderr: 'inherit',
    })
    let out = ''
    for await (const chunk of child.stdout.pipeThrough(
      new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>,
    )) {
      out += chunk
      heard(out)
    }
    return { status: await child.exited, out }
  } finally {
    rmSync(results, { recursive: true, force: true })
  }
}

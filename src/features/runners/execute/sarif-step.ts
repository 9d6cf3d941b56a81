/**
 * The built-in `github/codeql-action/upload-sarif`: reports of scanners become alerts of the
 * repository, with the rights of the job's token.
 */
import { faultText } from './artifact-steps.ts'
import type { Conclusion } from './job-input.ts'
import { findFiles } from './search-paths.ts'
import { quote } from './shells.ts'
import type { RunningStep, StepRunner } from './step-runner.ts'

type Inputs = Readonly<Record<string, string>>

const MAX_FILES = 20
/** Compressed, of one file. */
const MAX_BYTES = 10 * 1024 ** 2

async function readPacked(
  runner: StepRunner,
  running: RunningStep,
  path: string,
): Promise<Uint8Array> {
  const { bytes, close } = runner.surroundings.place.stream(
    `exec gzip -c -- ${quote(path)}`,
    {},
    running.signal,
  )
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of bytes) {
      size += part.length
      if (size > MAX_BYTES) throw new Error('it is larger than 10 MiB compressed')
      parts.push(part)
    }
  } finally {
    await close()
  }
  return Buffer.concat(parts)
}

export async function uploadSarifFiles(
  runner: StepRunner,
  running: RunningStep,
  inputs: Inputs,
): Promise<Conclusion> {
  const { place, report, host } = runner.surroundings
  const fail = (message: string): Conclusion => {
    report.error(running.number, message)
    return 'failure'
  }
  if (!host.uploadSarif) {
    report.warning(running.number, 'The reports are not kept: nothing here takes them')
    return 'success'
  }
  const named = inputs.sarif_file
  if (!named) return fail('The input sarif_file is required: it names a file or a folder')
  const found = await findFiles(place, named, { includesHidden: false })
  const files = (found?.files ?? []).filter(
    (file) => file === named || /\.(sarif|json)$/i.test(file),
  )
  if (!found || files.length === 0) return fail(`There is no SARIF file at ${named}`)
  if (files.length > MAX_FILES) return fail(`At most ${MAX_FILES} files are uploaded at once`)
  for (const file of files) {
    try {
      const sarif = await readPacked(runner, running, `${found.root}/${file}`)
      const id = await host.uploadSarif({
        sarif,
        sha: inputs.sha || null,
        ref: inputs.ref || null,
        category: inputs.category || null,
      })
      report.line(`Uploaded ${file} as ${id}`)
      running.outputs['sarif-id'] = id
    } catch (error) {
      return fail(`${file} could not be uploaded: ${faultText(error)}`)
    }
  }
  return 'success'
}

/**
 * The built-in `actions/upload-artifact` and `actions/download-artifact`. The sandbox reads and
 * writes the files of the job; the server converts between tar and zip.
 */
import { MAX_ARCHIVED_FILES, readZip } from '#lib/archives/zip-reader.ts'
import { readTar, writeTar } from '#lib/archives/tar.ts'
import { writeZip } from '#lib/archives/zip-writer.ts'
import { Refusal } from '#lib/errors.ts'
import type { ArtifactStore, Conclusion } from './job-input.ts'
import { findFiles } from './search-paths.ts'
import { quote } from './shells.ts'
import type { RunningStep, StepRunner } from './step-runner.ts'

type Inputs = Readonly<Record<string, string>>

const DEFAULT_LEVEL = 6

export const isOn = (value: string | undefined): boolean =>
  (value ?? '').trim().toLowerCase() === 'true'

/** The line of an error for the author of a step. Faults of the server are thrown on. */
export function faultText(error: unknown): string {
  if (error instanceof Refusal || (error instanceof Error && error.name === 'Error'))
    return error.message
  throw error
}

const failWith =
  ({ surroundings: { report } }: StepRunner, { number }: RunningStep) =>
  (message: string): Conclusion => {
    report.error(number, message)
    return 'failure'
  }

function levelOf(text: string | undefined): number {
  const level = Number(text ?? DEFAULT_LEVEL)
  return Number.isInteger(level) && level >= 0 && level <= 9 ? level : DEFAULT_LEVEL
}

function daysOf(text: string | undefined): number | null {
  const days = Number(text ?? 0)
  return Number.isInteger(days) && days > 0 ? days : null
}

/** Packs files in the sandbox. Links are replaced by what they lead to. */
const PACK = 'exec tar --format=gnu --hard-dereference -h --no-recursion -C'

export async function uploadArtifact(
  runner: StepRunner,
  running: RunningStep,
  inputs: Inputs,
): Promise<Conclusion> {
  const { place, report, host } = runner.surroundings
  const fail = failWith(runner, running)
  const name = inputs.name || 'artifact'
  if (!host.artifacts) {
    report.warning(running.number, `The artifact ${name} is not kept: nothing here keeps artifacts`)
    return 'success'
  }
  if (!inputs.path) return fail('The input path is required: it names the files to upload')
  const found = await findFiles(place, inputs.path, {
    includesHidden: isOn(inputs['include-hidden-files']),
  })
  if (!found) return fail('The files of the paths could not be listed')
  if (found.files.length === 0) return withoutFiles(runner, running, inputs)
  if (found.files.length > MAX_ARCHIVED_FILES)
    return fail(
      `An artifact has at most ${MAX_ARCHIVED_FILES} files; these are ${found.files.length}`,
    )
  report.line(`Uploading ${found.files.length} files of ${found.root}`)
  const { bytes, close } = place.stream(
    `${PACK} ${quote(found.root)} --null -T "$1/list" -cf - 2>/dev/null`,
    { list: found.files.map((file) => `${file}\0`).join('') },
    running.signal,
  )
  try {
    const { id, url, digest } = await host.artifacts.create({
      name,
      bytes: writeZip(readTar(bytes), levelOf(inputs['compression-level'])),
      retentionDays: daysOf(inputs['retention-days']),
      overwrite: isOn(inputs.overwrite),
    })
    report.line(`Uploaded the artifact ${name} (${digest})`)
    report.line(url)
    Object.assign(running.outputs, {
      'artifact-id': id,
      'artifact-url': url,
      'artifact-digest': digest.replace(/^sha256:/, ''),
    })
    return 'success'
  } catch (error) {
    return fail(`The artifact ${name} could not be uploaded: ${faultText(error)}`)
  } finally {
    await close()
  }
}

function withoutFiles(runner: StepRunner, running: RunningStep, inputs: Inputs): Conclusion {
  const { report } = runner.surroundings
  const message = `No file has these paths: ${inputs.path?.split('\n').join(', ')}. No artifact is uploaded.`
  const wish = inputs['if-no-files-found'] || 'warn'
  if (wish === 'error') return failWith(runner, running)(message)
  if (wish === 'ignore') report.line(message)
  else report.warning(running.number, message)
  return 'success'
}

type Listed = ReturnType<ArtifactStore['list']>[number]

/** The artifacts that the inputs name, or why there are none. */
function choose(store: ArtifactStore, inputs: Inputs): readonly Listed[] | string {
  const all = store.list()
  const names = all.map(({ name }) => name).join(', ') || 'none'
  if (inputs.name) {
    const one = all.filter(({ name }) => name === inputs.name)
    return one.length > 0
      ? one
      : `The run has no artifact ${inputs.name}. Those that can be downloaded: ${names}`
  }
  const ids = (inputs['artifact-ids'] ?? '').split(',').flatMap((id) => id.trim() || [])
  if (ids.length > 0) {
    const missing = ids.find((id) => !all.some((one) => one.id === id))
    return missing === undefined
      ? all.filter(({ id }) => ids.includes(id))
      : `The run has no artifact with the id ${missing}`
  }
  if (!inputs.pattern) return all
  const glob = new Bun.Glob(inputs.pattern)
  return all.filter(({ name }) => glob.match(name))
}

/** Why the files of another run are not available; null for the run of the job. */
function otherRun({ job }: StepRunner, inputs: Inputs): string | null {
  const { github } = job.contexts
  const isOther =
    (inputs['run-id'] || String(github.run_id)) !== String(github.run_id) ||
    (inputs.repository || job.repository).toLowerCase() !== job.repository.toLowerCase()
  return isOther ? 'Only artifacts of this run can be downloaded here' : null
}

export async function downloadArtifact(
  runner: StepRunner,
  running: RunningStep,
  inputs: Inputs,
): Promise<Conclusion> {
  const { report, host } = runner.surroundings
  const fail = failWith(runner, running)
  if (!host.artifacts) return fail('Nothing here keeps artifacts, so none can be downloaded')
  const other = otherRun(runner, inputs)
  if (other !== null) return fail(other)
  const target = runner.inWorkspace(
    (inputs.path || '').replace(/^~(?=\/|$)/, runner.surroundings.place.paths.home),
  )
  const chosen = choose(host.artifacts, inputs)
  if (typeof chosen === 'string') return fail(chosen)
  if (chosen.length === 0) report.line('There is no artifact to download')
  const isFlat = Boolean(inputs.name) || isOn(inputs['merge-multiple'])
  for (const { name } of chosen) {
    const folder = isFlat ? target : `${target}/${name}`
    const fault = await unpack(runner, { store: host.artifacts, name, folder })
    if (fault !== null) return fail(`The artifact ${name} could not be downloaded: ${fault}`)
    report.line(`Downloaded the artifact ${name} to ${folder}`)
  }
  running.outputs['download-path'] = target
  return 'success'
}

/** Unpacks an artifact in the sandbox. Returns why it failed; null when it is there. */
async function unpack(
  { surroundings: { place, host } }: StepRunner,
  { store, name, folder }: { store: ArtifactStore; name: string; folder: string },
): Promise<string | null> {
  try {
    const zip = await store.open(name)
    const isDone = await place.withFile(writeTar(readZip(zip, host.limits.diskBytes)), (file) =>
      place.ask(
        `mkdir -p ${quote(folder)} && exec tar -xf ${quote(file)} -m -C ${quote(folder)} 2>&1`,
        UNPACK_TIMEOUT_MS,
      ),
    )
    return isDone === null ? `its files could not be written to ${folder}` : null
  } catch (error) {
    return faultText(error)
  }
}

const UNPACK_TIMEOUT_MS = 600_000

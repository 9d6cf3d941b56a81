/**
 * Builds an image from a Dockerfile with Docker, without the builder of its daemon, which works as
 * root and past the rules of jobs. Each `RUN` is a container of the job with its limits and its
 * network; files are written into containers that do not run; and images are made of containers.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { qualifiedImage } from '#lib/container-image.ts'
import { objectOf } from '#lib/json-value.ts'
import { bundledProgram } from '../bundled.ts'
import { DockerfileFault } from '../dockerfile/fault.ts'
import { readStatement, type EmptyMount, type Statement } from '../dockerfile/instructions.ts'
import { heredocOf, MAX_FILE_BYTES, splitInstruction } from '../dockerfile/lines.ts'
import { StageState, type ImageConfig } from '../dockerfile/stage-state.ts'
import { copiedStage, readDockerfile, type Dockerfile, type Stage } from '../dockerfile/stages.ts'
import { BUILT_LABEL, CONTEXT, dockerfileOf, TOO_MUCH, type ImageBuild } from './built-images.ts'
import { ContextFiles } from './context-files.ts'
import { contextSources, copyFiles, imageSources, makeFolder, type Target } from './copy-files.ts'
import { docker, requireDocker } from './docker.ts'
import { commitImage } from './docker-api.ts'
import { LABEL, type BuildContainers, type JobEngineOptions } from './engine.ts'
import { localName } from './load-image.ts'

/** Where a container finds the program that executes a `RUN` (`assets/sandbox/step.c`). */
const STEP_FOLDER = '/dev/hearth'
const SCRATCH = 'scratch'
/** Images of this server, which are no others' to begin with. */
const OWN_IMAGES = /^localhost\/hearth-(?:action|network|scratch)(?:[:@]|$)/

/** An image as Docker has it. */
type Image = { readonly id: string; readonly config: ImageConfig; readonly size: number }

async function inspectImage(name: string): Promise<Image> {
  const format = '{"Id":{{json .Id}},"Config":{{json .Config}},"Size":{{json .Size}}}'
  const text = await requireDocker(['image', 'inspect', '--format', format, '--', name])
  const { Id, Config, Size } = objectOf(JSON.parse(text))
  return { id: String(Id), config: objectOf(Config) as ImageConfig, size: Number(Size) }
}

/** An image of nothing, because Docker makes no container without one. */
async function scratchImage(): Promise<string> {
  const name = 'localhost/hearth-scratch:1'
  if ((await docker(['image', 'inspect', '--', name])).exit === 0) return name
  async function* emptyArchive(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1024)
  }
  await requireDocker(['import', '-', name], { input: emptyArchive() })
  return name
}

/** What one stage has so far. */
type Progress = {
  readonly stage: Stage
  readonly index: number
  readonly state: StageState
  /** What the next container begins with. */
  image: Image
  /** Volumes of the image that the stage begins with. */
  readonly volumes: readonly string[]
  /** The container whose files are not in the image yet. */
  pending: { readonly name: string; readonly isOfFiles: boolean; isChanged: boolean } | null
}

export class DockerBuild {
  readonly #stages = new Map<number, Image>()
  /** Variables of stages, those of ARG too, for stages that begin with them. */
  readonly #variables = new Map<number, ReadonlyMap<string, string>>()
  readonly #made: string[] = []
  /** Containers to copy from, by the ids of their images. */
  readonly #sources = new Map<string, string>()
  #dockerfile: Dockerfile | null = null
  #context: ContextFiles | null = null
  #heldBytes = 0
  #steps = 0

  constructor(
    private readonly build: ImageBuild,
    private readonly containers: BuildContainers,
    private readonly options: Pick<JobEngineOptions, 'limits' | 'runnerDirectory'>,
  ) {}

  /** Throws an Error with one line for the author. */
  async run(): Promise<void> {
    const { folder, file, signal } = this.build
    try {
      const context = await ContextFiles.open(join(folder, CONTEXT), file)
      const text = await dockerfileOf(this.build)
      if (text === null)
        throw new DockerfileFault(`${file} is no file of at most ${MAX_FILE_BYTES} bytes`)
      const dockerfile = readDockerfile(text)
      this.#context = context
      this.#dockerfile = dockerfile
      for (const index of dockerfile.needed) await this.#buildStage(dockerfile, index)
    } catch (error) {
      if (signal.aborted) throw new Error('the image was not built, because its job ended')
      const said = error instanceof Error ? error.message : String(error)
      throw new Error(`the image could not be built: ${said}`)
    } finally {
      await this.#clean()
    }
  }

  /** Removes what no image needs that is left. */
  async #clean(): Promise<void> {
    await this.containers.remove([...this.#sources.values()]).catch(() => {})
    // Docker refuses those that others are made of, and removes what only the removed ones needed.
    for (const id of this.#made.toReversed()) await docker(['rmi', '--', id])
  }

  async #buildStage(dockerfile: Dockerfile, index: number): Promise<void> {
    const stage = dockerfile.stages[index]
    if (stage === undefined) return
    const image = await this.#baseOf(stage)
    const { globals, escape } = dockerfile
    const inherited = typeof stage.base === 'number' ? this.#variables.get(stage.base) : undefined
    const state = new StageState(image.config, globals, escape, inherited)
    const volumes = Object.keys((await inspectImage(image.id)).config.Volumes ?? {})
    const progress: Progress = { stage, index, state, image, volumes, pending: null }
    const triggers = (image.config.OnBuild ?? []).map((text) =>
      readStatement(
        { ...splitInstruction(text, stage.from.line), heredocs: [] },
        dockerfile.escape,
      ),
    )
    const statements = [...triggers, ...stage.statements]
    const position = dockerfile.needed.indexOf(index) + 1
    const count = dockerfile.needed.length
    const prefix = count > 1 ? `[${position}/${count}] ` : ''
    const say = async (at: number, text: string): Promise<void> =>
      this.build.output(Buffer.from(`${prefix}STEP ${at}/${statements.length + 1}: ${text}\n`))
    await say(1, stage.from.text)
    try {
      for (const [at, statement] of statements.entries()) {
        await say(at + 2, statement.text.replaceAll('\n', ' '))
        await this.#carryOut(progress, statement)
      }
      await this.#end(progress, position === count)
    } finally {
      await this.#dropPending(progress)
    }
  }

  async #baseOf({ base, from }: Stage): Promise<Image> {
    if (typeof base === 'number') {
      const built = this.#stages.get(base)
      if (built !== undefined) return built
    }
    return this.#fetch(String(base), from.line)
  }

  /** The image of a name, fetched by the server unless it is here. */
  async #fetch(name: string, line: number): Promise<Image> {
    if (name === SCRATCH)
      return { ...(await inspectImage(await scratchImage())), config: { WorkingDir: '/' } }
    const image = qualifiedImage(name)
    if (OWN_IMAGES.test(image)) throw new DockerfileFault(`${name} is no image to begin with`, line)
    try {
      await this.containers.pull({ image, credentials: null }, this.build.signal)
    } catch (error) {
      throw new DockerfileFault(error instanceof Error ? error.message : String(error), line)
    }
    return inspectImage(localName(image))
  }

  async #carryOut(progress: Progress, statement: Statement): Promise<void> {
    this.build.signal.throwIfAborted()
    try {
      if (statement.kind === 'run') await this.#execute(progress, statement)
      else if (statement.kind === 'copy') await this.#copy(progress, statement)
      else progress.state.apply(statement)
      if (statement.kind === 'workdir') {
        const target = await this.#target(progress)
        await makeFolder(target, progress.state.folder)
      }
    } catch (error) {
      if (error instanceof DockerfileFault) throw error
      throw new DockerfileFault(
        error instanceof Error ? error.message : String(error),
        statement.line,
      )
    }
  }

  /** Makes a container that does not run. */
  async #createIdle(image: string): Promise<string> {
    const name = this.containers.reserveName()
    await requireDocker([
      ...['create', '--name', name, '--label', `${LABEL}=${this.options.runnerDirectory}`],
      // Docker wants a program, though it never starts.
      ...['--pull', 'never', '--network', 'none', '--entrypoint', STEP_FOLDER, '--', image],
    ])
    return name
  }

  /** A container to write files into. */
  async #target(progress: Progress): Promise<Target> {
    if (progress.pending?.isOfFiles !== true) {
      await this.#commitPending(progress)
      const name = await this.#createIdle(progress.image.id)
      progress.pending = { name, isOfFiles: true, isChanged: false }
    }
    const pending = progress.pending
    if (pending === null) throw new Error('there is no container')
    return {
      container: pending.name,
      state: progress.state,
      volumes: progress.volumes,
      signal: this.build.signal,
      take: (bytes) => {
        pending.isChanged = true
        this.#take(bytes)
      },
    }
  }

  #take(bytes: number): void {
    this.#heldBytes += bytes
    this.containers.holdBytes(this.#heldBytes)
    if (this.#heldBytes > this.options.limits.diskBytes) throw new Error(TOO_MUCH.disk)
  }

  async #copy(progress: Progress, statement: Extract<Statement, { kind: 'copy' }>): Promise<void> {
    const { from, line } = statement
    const { signal } = this.build
    if (this.#context === null) return
    const sources =
      from === null
        ? contextSources(this.#context, statement.isAdd)
        : imageSources(await this.#sourceOf(progress, from, line), signal)
    await copyFiles(statement, sources, await this.#target(progress))
  }

  /** A container of the stage or the image that a COPY names. */
  async #sourceOf({ index }: Progress, from: string, line: number): Promise<string> {
    const stages = this.#dockerfile?.stages ?? []
    const stage = copiedStage(stages, from, index)
    const built = stage === null ? undefined : this.#stages.get(stage)
    const { id } = built ?? (await this.#fetch(from, line))
    const there = this.#sources.get(id)
    if (there !== undefined) return there
    const name = await this.#createIdle(id)
    this.#sources.set(id, name)
    return name
  }

  async #execute(
    progress: Progress,
    statement: Extract<Statement, { kind: 'run' }>,
  ): Promise<void> {
    await this.#commitPending(progress)
    const folder = await this.#writeStep(progress.state, statement)
    const user = progress.state.config.User ?? ''
    const { name, exit, wasOutOfMemory } = await this.containers.execute(
      {
        image: progress.image.id,
        options: [...(user === '' ? [] : ['--user', user]), ...mountOptions(statement.mounts)],
        mounts: [{ from: folder, to: STEP_FOLDER, writable: false }],
        entrypoint: `${STEP_FOLDER}/step`,
      },
      this.build.output,
      this.build.signal,
    )
    this.build.signal.throwIfAborted()
    progress.pending = { name, isOfFiles: false, isChanged: true }
    if (exit !== 0 && wasOutOfMemory) throw new Error(TOO_MUCH.memory)
    if (exit !== 0) throw new Error(`STEP "${statement.text}" ended with status ${exit}`)
  }

  /** Writes the files that say what a `RUN` executes. Returns their folder. */
  async #writeStep(
    state: StageState,
    { program, heredocs }: Extract<Statement, { kind: 'run' }>,
  ): Promise<string> {
    const binary = await bundledProgram('step')
    if (binary === null) throw new Error(`there is no program to execute RUN for ${process.arch}`)
    const [line = ''] = program.words
    const [document] = heredocs
    const isAlone = document !== undefined && heredocOf(line) !== null
    const isScript = isAlone && document.content.startsWith('#!')
    const documents = heredocs.map(({ name, content }) => `\n${content}${name}`).join('')
    const text = isAlone ? document.content : line + documents
    const shell = isScript ? `${STEP_FOLDER}/script` : text
    const words = state.wordsOf(program.isShell ? { words: [shell], isShell: true } : program)
    const listed = (list: readonly string[]): string => list.map((one) => `${one}\0`).join('')
    const folder = join(this.build.folder, `step-${++this.#steps}`)
    await mkdir(folder)
    const files: [name: string, content: string | Uint8Array, mode: number][] = [
      ['step', binary, 0o755],
      ['variables', listed([...state.variables].map((pair) => pair.join('='))), 0o644],
      ['arguments', listed(words), 0o644],
      ['folder', state.folder, 0o644],
      ...(isScript ? [['script', document.content, 0o755] as [string, string, number]] : []),
    ]
    for (const [name, content, mode] of files) {
      await writeFile(join(folder, name), content)
      await chmod(join(folder, name), mode)
    }
    await chmod(folder, 0o755)
    return folder
  }

  /** Makes an image of the container that waits for it, where its files differ from those before. */
  async #commitPending(progress: Progress): Promise<void> {
    const { pending, state } = progress
    if (pending === null) return
    if (pending.isChanged) {
      // A container of it has a volume where the image has one, and would lose what is written there.
      const Volumes = Object.fromEntries(progress.volumes.map((path) => [path, {}]))
      await this.#commit(progress, pending.name, { ...state.config, Volumes }, null)
    }
    await this.#dropPending(progress)
  }

  async #dropPending(progress: Progress): Promise<void> {
    const { pending } = progress
    progress.pending = null
    if (pending !== null) await this.containers.remove([pending.name])
  }

  async #commit(
    progress: Progress,
    container: string,
    config: ImageConfig,
    name: string | null,
  ): Promise<void> {
    // Docker takes what the container says for what is not given here at all.
    const whole = { ...config, Cmd: config.Cmd ?? [], Entrypoint: config.Entrypoint ?? [] }
    const id = await commitImage(container, whole, name, this.build.signal)
    if (name === null) this.#made.push(id)
    const before = progress.image.size
    progress.image = await inspectImage(id)
    if (!progress.pending?.isOfFiles) this.#take(Math.max(0, progress.image.size - before))
  }

  /** The last stage is the image; the others are there for it. */
  async #end(progress: Progress, isLast: boolean): Promise<void> {
    const { index, state } = progress
    if (!isLast) {
      await this.#commitPending(progress)
      this.#stages.set(index, { ...progress.image, config: state.config })
      this.#variables.set(index, state.variables)
      return
    }
    const container = progress.pending?.name ?? (await this.#target(progress)).container
    const labels = { ...state.config.Labels, [BUILT_LABEL]: '1', [LABEL]: '' }
    await this.#commit(progress, container, { ...state.config, Labels: labels }, this.build.image)
  }
}

/** Options for folders that begin empty and are no part of the image. */
const mountOptions = (mounts: readonly EmptyMount[]): string[] =>
  mounts.flatMap(({ type, target }) =>
    type === 'tmpfs' ? ['--tmpfs', target] : ['--mount', `type=volume,dst=${target},volume-nocopy`],
  )

/** The folder and the sandbox of a job. The sandbox begins with the first step that needs it. */
import { chmod, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createWriteStream, existsSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { sha256 } from '#lib/hash.ts'
import { builtImage, containerMounts, doorSocket, JOB_DOOR_URL } from '#runner'
import type {
  ContainerSpec,
  ExceededLimit,
  ImageBuilder,
  ImageResult,
  JobContainers,
  JobPaths,
  RunningJob,
  StepOptions,
  StepResult,
  Workplace,
} from '#runner'
import { copyBuildContext } from './build-context.ts'
import { BytePipe } from './byte-pipe.ts'
import type {
  ActionName,
  CheckoutSource,
  ExecutableJob,
  ExecutionHost,
  ForgeDoor,
} from './job-input.ts'
import { readBelow } from './read-below.ts'
import { quote } from './shells.ts'

/** The most output of a question to the sandbox. */
const MAX_ANSWER_BYTES = 8 * 1024 ** 2
const ASK_TIMEOUT_MS = 30_000
/** Of a file of JavaScript with all its packages in it. */
const MAX_MODULE_BYTES = 64 * 1024 ** 2

const { hostname: DOOR_HOST, port: DOOR_PORT } = new URL(JOB_DOOR_URL)
/** Where images that are a step find the workspace, as GitHub says. */
const DOCKER_WORKSPACE = '/github/workspace'

type ContainerChoice = {
  /** Null for the sandbox. */
  readonly container: ContainerSpec | null
  /** Ports by which its steps reach services, and those of images, with the sockets behind them. */
  readonly ports: ReadonlyMap<number, string>
  readonly portsOfImages: ReadonlyMap<number, string>
  /** Names of services, which lead to these ports in a container. */
  readonly hosts: readonly string[]
}

/** An action as steps see it, and what the log says where it was fetched just now. */
type FetchedAction = { readonly root: string; readonly line: string | null }

/**
 * Addresses that people see, in workflow files and answers, lead to the door as well. Root of a
 * container may be another user than the owner of the workspace, which git refuses unless told.
 */
const gitSettings = ({ address, publicAddress }: ForgeDoor, { workspace }: JobPaths): string =>
  `[url "${address}/"]\n\tinsteadOf = ${publicAddress}/\n` +
  `[safe]\n\tdirectory = ${workspace}\n\tdirectory = ${DOCKER_WORKSPACE}\n`

/** Writes settings before the job begins, so no link of a job leads a write elsewhere. */
async function writeHomeFiles(home: string, files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), text, { flag: 'wx', mode: 0o600 })
  }
}

/** Why the output of a program is not whole; null when it is. */
function faultOf({ exit_code, ended }: StepResult): Error | null {
  if (exit_code === 0) return null
  return new Error(
    ended === 'full_disk' ? 'the disk of the server is nearly full' : 'its files cannot be read',
  )
}

export class JobWorkplace {
  #job: RunningJob | null = null
  #door: { close(): Promise<void> } | null = null
  #hasRun = false
  #isEnded = false
  #checkouts = 0
  #builds = 0
  readonly #repaired = new Set<string>()
  #containers: Promise<JobContainers> | null = null
  #where: ContainerChoice = {
    container: null,
    ports: new Map(),
    portsOfImages: new Map(),
    hosts: [],
  }
  /** What ends with the job. */
  readonly opened: { close(): void }[] = []
  readonly #actions = new Map<string, FetchedAction>()

  private constructor(
    private readonly directory: Workplace,
    private readonly host: ExecutionHost,
    private readonly job: ExecutableJob,
    readonly paths: JobPaths,
  ) {}

  static async create(job: ExecutableJob, host: ExecutionHost): Promise<JobWorkplace> {
    const [, name = 'work'] = job.repository.split('/')
    const { limits, network, door } = host
    const hasContainers = job.plan.container !== null || job.plan.services !== null
    const kind = { name, limits, network, hasDoor: door !== null && door !== undefined }
    const directory = await host.runner.createJobDirectory(job.id, hasContainers ? undefined : kind)
    const paths = await host.runner.jobPaths(directory, name)
    const place = new JobWorkplace(directory, host, job, paths)
    await place.#writeInput('event.json', JSON.stringify(job.contexts.github.event ?? {}))
    if (host.door) await place.#writeInput('gitconfig', gitSettings(host.door, paths))
    await writeHomeFiles(join(directory.work, 'home'), host.homeFiles ?? {})
    return place
  }

  /** Settings for git, by which addresses of the forge lead to its door; null without one. */
  get gitSettingsPath(): string | null {
    return this.host.door ? `${this.paths.input}/gitconfig` : null
  }

  get eventPath(): string {
    return `${this.paths.input}/event.json`
  }

  get folder(): Workplace {
    return this.directory
  }

  /** The containers of the job; they end with it. */
  containers(onExceeded: (what: ExceededLimit) => void): Promise<JobContainers> {
    const { runner, limits, network = 'none', containers } = this.host
    return (this.#containers ??= runner.containersOf({
      directory: this.directory,
      limits,
      network,
      findRegistry: containers.findRegistry,
      onExceeded: (what) => {
        onExceeded(what)
        void this.endProcesses()
      },
    }))
  }

  /**
   * Builds an image from the files of a folder that steps see, unless there is one of the same files
   * that is not old. Returns its name. Throws an Error with one line for the author.
   */
  async buildImage(
    builder: ImageBuilder,
    build: {
      readonly path: string
      readonly file: string
      readonly output: (bytes: Uint8Array) => void
      readonly signal: AbortSignal | undefined
      /** Called where a build failed and an earlier image is used in place of it. */
      readonly onStale: (why: string) => void
    },
  ): Promise<string> {
    const { path, file, output, signal = new AbortController().signal, onStale } = build
    const folder = join(this.directory.folder, `build-${++this.#builds}`)
    const context = join(folder, 'context')
    await mkdir(context, { recursive: true, mode: 0o755 })
    try {
      const files = await copyBuildContext(this, path, context, signal)
      if (!existsSync(join(context, file))) throw new Error(`there is no ${file} to build from`)
      const image = builtImage(sha256(`${file}\n${files}`))
      const there = await builder.isBuilt(image)
      if (there !== 'fresh')
        try {
          await builder.build({ folder, file, image, output, signal })
        } catch (error) {
          if (there === 'no' || signal.aborted) throw error
          onStale(error instanceof Error ? error.message : String(error))
        }
      return image
    } finally {
      await rm(folder, { recursive: true, force: true }).catch(() => {})
    }
  }

  /** Says where steps run and which services they reach; before the first step. */
  useContainers(where: ContainerChoice): void {
    this.#where = where
  }

  /** Runs an image with the folders of the job to its end. */
  async runImage(
    containers: JobContainers,
    program: { image: ContainerSpec; entrypoint: string | null; args: readonly string[] },
    files: readonly string[],
    output: (bytes: Uint8Array) => Promise<void> | void,
    signal: AbortSignal,
  ): Promise<ImageResult> {
    // The folders must be those of the job's user, and the door open.
    await this.#open()
    // New files, so no link of the job leads elsewhere.
    for (const name of files) {
      const file = await open(join(this.filesFolder, name), 'wx', 0o666)
      await file.chmod(0o666)
      await file.close()
    }
    const { image, entrypoint, args } = program
    const place = {
      mounts: [
        ...containerMounts(this.directory, this.paths),
        { from: this.directory.build, to: DOCKER_WORKSPACE, writable: true },
      ],
      hosts: [...this.#where.hosts, DOOR_HOST],
      cwd: DOCKER_WORKSPACE,
    }
    const env = { HOME: this.paths.home, ...image.env, GITHUB_WORKSPACE: DOCKER_WORKSPACE }
    const forwards = new Map([
      ...(this.#door === null
        ? []
        : [[Number(DOOR_PORT), basename(doorSocket(this.directory))] as const]),
      ...this.#where.portsOfImages,
    ])
    const spec = { ...image, env, entrypoint, args, forwards }
    return containers.run(spec, place, output, signal)
  }

  /** The folder of step files as the server sees it. */
  get filesFolder(): string {
    return join(this.directory.work, 'files')
  }

  /**
   * The text of a file of at most `maxBytes` that steps see at a path, while they run: of the
   * workspace, the folder for temporary files, or an action. No link is followed. Null without one.
   */
  readFile(path: string, maxBytes: number): string | null {
    const { paths, directory } = this
    const roots: readonly (readonly [string, string])[] = [
      [paths.input, join(directory.work, 'input')],
      [paths.temp, join(directory.work, 'temp')],
      [paths.workspace, directory.build],
    ]
    const absolute = path.startsWith('/') ? path : `${paths.workspace}/${path}`
    const root = roots.find(([inside]) => absolute.startsWith(`${inside}/`))
    if (!root) return null
    return readBelow(root[1], absolute.slice(root[0].length + 1), maxBytes)
  }

  async step(options: StepOptions): Promise<StepResult> {
    this.#hasRun = true
    return (await this.#open()).step(options)
  }

  /** The output of a short program in the sandbox; null when it fails. Nothing of it is logged. */
  async ask(script: string, timeoutMs = ASK_TIMEOUT_MS): Promise<string | null> {
    const parts: Uint8Array[] = []
    let bytes = 0
    const { exit_code } = await this.step({
      script,
      timeoutMs,
      output: (part) => {
        bytes += part.length
        if (bytes <= MAX_ANSWER_BYTES) parts.push(Buffer.from(part))
      },
    })
    return exit_code === 0 && bytes <= MAX_ANSWER_BYTES
      ? Buffer.concat(parts).toString('utf8')
      : null
  }

  /**
   * Writes the files of a commit to `path` in the workspace, and removes what was there. Once a step
   * has run, the sandbox copies them, because the workspace may hold links then.
   */
  async checkOut(
    source: CheckoutSource,
    path: string,
  ): Promise<{ readonly commit: string | null } | null> {
    if (!this.#hasRun) {
      const folder = join(this.directory.build, path)
      if (path !== '') await rm(folder, { recursive: true, force: true })
      await mkdir(folder, { recursive: true })
      return { commit: await this.host.checkOut(folder, source) }
    }
    const name = `checkout-${++this.#checkouts}`
    const staging = join(this.directory.work, 'input', name)
    await mkdir(staging)
    try {
      const commit = await this.host.checkOut(staging, source)
      await chmod(staging, 0o755)
      const target = quote(path === '' ? this.paths.workspace : `${this.paths.workspace}/${path}`)
      const copied = await this.ask(
        `mkdir -p ${target} && cd ${target} && find . -mindepth 1 -delete && cp -R -P ${quote(`${this.paths.input}/${name}`)}/. .`,
      )
      return copied === null ? null : { commit }
    } finally {
      await rm(staging, { recursive: true, force: true })
    }
  }

  /**
   * Writes the files of an action of another repository outside of the workspace, once for each
   * source. Returns the folder as steps see it, and what the log says.
   */
  async fetchAction(name: ActionName): Promise<FetchedAction> {
    const key = `${name.repository}@${name.ref}`
    const known = this.#actions.get(key)
    if (known !== undefined) return known
    const part = `action-${this.#actions.size + 1}`
    const folder = join(this.directory.work, 'input', part)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder)
    const line = await this.host.fetchAction(folder, name)
    await chmod(folder, 0o755)
    const root = `${this.paths.input}/${part}`
    this.#actions.set(key, { root, line: null })
    return { root, line }
  }

  /**
   * Makes a module of a fetched action one that the runtime of this executable reads. It takes a file
   * with `import` that also names `module` or `exports`, as bundles do to find out where they run, for
   * one of CommonJS. With variables of these names it does not; in CommonJS they change nothing.
   */
  async repairModule(path: string): Promise<void> {
    const { input } = this.paths
    if (!path.startsWith(`${input}/`) || this.#repaired.has(path)) return
    this.#repaired.add(path)
    const root = join(this.directory.work, 'input')
    const below = path.slice(input.length + 1)
    // No part of the path is a link, and nothing but this server writes there.
    const text = readBelow(root, below, MAX_MODULE_BYTES)
    if (text === null || text.startsWith('#!') || !/^[ \t]{0,200}(?:import|export)\b/m.test(text))
      return
    const target = join(root, below)
    await writeFile(`${target}.repaired`, `var module, exports;${text}`, { flag: 'wx' })
    await chmod(`${target}.repaired`, 0o644)
    await rename(`${target}.repaired`, target)
  }

  /**
   * The output of a program in the sandbox, as it comes. Reading it throws when the program fails.
   * `close` ends the program when it still runs.
   */
  stream(
    script: string,
    files: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): { readonly bytes: AsyncIterable<Uint8Array>; readonly close: () => Promise<void> } {
    const pipe = new BytePipe()
    const stop = new AbortController()
    const running = this.step({
      script,
      files,
      signal: AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]),
      // A copy, because the piece belongs to the stream.
      output: (part) => pipe.push(Buffer.from(part)),
    }).then(
      (result) => pipe.end(faultOf(result)),
      (error: Error) => pipe.end(error),
    )
    const close = async (): Promise<void> => {
      stop.abort()
      pipe.stop()
      await running
    }
    return { bytes: pipe, close }
  }

  /** Calls `use` with the path of a file in the sandbox that has these bytes. */
  async withFile<T>(
    bytes: AsyncIterable<Uint8Array>,
    use: (path: string) => Promise<T>,
  ): Promise<T> {
    const name = `file-${++this.#checkouts}`
    const target = join(this.directory.work, 'input', name)
    try {
      await pipeline(bytes, createWriteStream(target, { flags: 'wx', mode: 0o644 }))
      await chmod(target, 0o644)
      return await use(`${this.paths.input}/${name}`)
    } finally {
      await rm(target, { force: true })
    }
  }

  /** Ends everything that runs, and lets nothing begin any more. */
  async endProcesses(): Promise<void> {
    this.#isEnded = true
    await this.#job?.close()
    await this.#door?.close()
    for (const one of this.opened.splice(0)) one.close()
    await (await this.#containers)?.close()
  }

  async close(): Promise<void> {
    await this.endProcesses()
    await this.host.runner.removeDirectory(this.directory)
  }

  async #open(): Promise<RunningJob> {
    if (this.#job) return this.#job
    const [, name = 'work'] = this.job.repository.split('/')
    const { directory, host } = this
    const { limits, network, door } = host
    const wish = network === undefined ? {} : { network }
    const hasDoor = door !== null && door !== undefined
    if (hasDoor) this.#door = await door.open(doorSocket(directory))
    const { container, ports, hosts } = this.#where
    const containers = await this.#containers
    const place = container &&
      containers && {
        container: containers.stepContainer(container, {
          mounts: containerMounts(directory, this.paths),
          hosts: [...hosts, DOOR_HOST],
          cwd: this.paths.workspace,
        }),
      }
    const options = { directory, name, limits, env: {}, hasDoor, ports, ...wish, ...place }
    const job = await host.runner.openJob(options)
    this.#job = job
    if (this.#isEnded) await this.endProcesses()
    return job
  }

  async #writeInput(name: string, text: string): Promise<void> {
    const path = join(this.directory.work, 'input', name)
    await writeFile(path, text)
    await chmod(path, 0o644)
  }
}

/** What the executor is given: a job with its contexts, and what surrounds it. */
import type { ActionReading, JsonObject, NeedsContext, StepsPlan } from '#actions'
import type { Limits, Network, Runner } from '#runner'

export type ExecutableJob = {
  /** Names the folder of the job; `a-z 0-9 _ -`. */
  readonly id: string
  /** The id of the job in its file. */
  readonly jobId: string
  /** `owner/name` */
  readonly repository: string
  readonly plan: StepsPlan
  readonly contexts: {
    readonly github: JsonObject
    readonly inputs: JsonObject
    readonly vars: JsonObject
    readonly needs: NeedsContext
    readonly matrix: JsonObject | null
    readonly strategy: JsonObject
  }
  readonly secrets: Readonly<Record<string, string>>
  /** Variables of services that steps reach: of all steps, and of JavaScript actions alone. */
  readonly services?: {
    readonly steps: Readonly<Record<string, string>>
    readonly actions: Readonly<Record<string, string>>
  }
  /** Aborts when the job is cancelled; it has ten seconds then. */
  readonly stop: AbortSignal
  /** Aborts when this process stops: everything ends at once. */
  readonly kill?: AbortSignal
}

export type Conclusion = 'success' | 'failure' | 'cancelled' | 'skipped'

export type StepState = {
  readonly number: number
  readonly name: string
  readonly status: 'queued' | 'in_progress' | 'completed'
  readonly conclusion: Conclusion | null
  /** Milliseconds. */
  readonly started_at: number | null
  readonly finished_at: number | null
  /** The first and the last line of the log, counted from 1; null while it has none. */
  readonly log_from: number | null
  readonly log_to: number | null
}

export type Annotation = {
  readonly step: number
  readonly level: 'notice' | 'warning' | 'failure'
  readonly file: string | null
  readonly line: number | null
  readonly end_line: number | null
  readonly column: number | null
  readonly title: string | null
  readonly message: string
}

/** The log of a job. */
export type LogSink = {
  /** Appends whole lines. */
  write(data: Uint8Array, at: number): void
  readonly lines: number
  readonly bytes: number
}

/** A file that a job uploads. Throws an Error with one line for the author. */
export type ArtifactStore = {
  /** `bytes` is a zip archive. */
  create(artifact: {
    readonly name: string
    readonly bytes: AsyncIterable<Uint8Array>
    readonly retentionDays: number | null
    readonly overwrite: boolean
  }): Promise<{ readonly id: string; readonly url: string; readonly digest: string }>
  /** Those of the run, by name. */
  list(): readonly { readonly id: string; readonly name: string; readonly size: number }[]
  /** The path of the zip archive. */
  open(name: string): Promise<string>
}

export type CacheStore = {
  /** Why the job writes none; null when it may. */
  readonly whyReadOnly: string | null
  find(wanted: {
    readonly key: string
    readonly restoreKeys: readonly string[]
    readonly version: string
  }): Promise<{ readonly key: string; readonly size: number; readonly path: string } | null>
  /** False when there is one of this key already. */
  save(cache: {
    readonly key: string
    readonly version: string
    readonly bytes: AsyncIterable<Uint8Array>
  }): Promise<boolean>
}

export type CheckoutSource = {
  readonly repository: string
  /** Null for the commit of the run, or the default branch of another repository. */
  readonly ref: string | null
  /** A token that reads the repository; null for that of the job. */
  readonly token: string | null
  /** What a repository beside the files has; `none` makes no repository. */
  readonly history: 'none' | 'commit' | 'all'
  /** Whether the repository has the token, so that git can push. */
  readonly keepsToken: boolean
}

/** An action of another repository, `owner/name` at a branch, a tag or a commit. */
export type ActionName = { readonly repository: string; readonly ref: string }

/** How a job reaches its forge where it does not share the network of the machine. */
export type ForgeDoor = {
  /** The address within the job, without a slash at the end. */
  readonly address: string
  /** The address of the forge for people. What a job tells has it in place of that of the door. */
  readonly publicAddress: string
  /** Listens on a socket. */
  readonly open: (socket: string) => Promise<{ close(): Promise<void> }>
}

/** Whether a job has containers of this machine. */
export type ContainerAccess = {
  /** Null when it has. */
  readonly whyNot: string | null
  /** The address of a registry that images may come from. Throws an Error for one that is refused. */
  readonly findRegistry: (host: string, port: number) => Promise<string>
}

/** Where nothing has containers, and why. */
export const noContainers = (whyNot: string): ContainerAccess => ({
  whyNot,
  findRegistry: () => Promise.reject(new Error(whyNot)),
})

export type ExecutionHost = {
  readonly runner: Runner
  /** Null where the job reaches the forge by its public address, or not at all. */
  readonly door?: ForgeDoor | null
  /** Settings of clients, by path below the home of the job. Nobody else may read them. */
  readonly homeFiles?: Readonly<Record<string, string>>
  /** The network of the steps; that of the runner's commands unless given. */
  readonly network?: Network
  readonly containers: ContainerAccess
  /** What the log says before the first step. */
  readonly notice?: string | null
  /** Null where nothing keeps files of jobs. */
  readonly artifacts: ArtifactStore | null
  readonly caches: CacheStore | null
  /**
   * Takes the report of a scanner, compressed, and answers its id. Null for `sha` and `ref` stands
   * for those of the run. Throws an Error with one line for the author. Null where nothing does.
   */
  readonly uploadSarif:
    | ((report: {
        readonly sarif: Uint8Array
        readonly sha: string | null
        readonly ref: string | null
        readonly category: string | null
      }) => Promise<string>)
    | null
  readonly limits: Limits
  readonly now: () => number
  readonly log: LogSink
  /**
   * Writes the files of a commit of a repository into an empty folder. Returns the commit; null
   * when the files are of none. Throws an Error with one line for the author.
   */
  readonly checkOut: (folder: string, source: CheckoutSource) => Promise<string | null>
  /**
   * Writes the files of an action into an empty folder. Returns what the log says about it. Throws an
   * Error with one line for the author.
   */
  readonly fetchAction: (folder: string, name: ActionName) => Promise<string | null>
  /** Reads the text of an `action.yml`, of which `path` is the name in faults. */
  readonly readAction: (text: string, path: string) => Promise<ActionReading>
  readonly report: (step: StepState) => void
}

export type ExecutionResult = {
  readonly conclusion: 'success' | 'failure' | 'cancelled' | 'timed_out'
  /** Why it ended so, in one line; null when the steps say it. */
  readonly reason: string | null
  readonly outputs: Readonly<Record<string, string>>
  /** The address of the environment of the job; null without one. */
  readonly url: string | null
  readonly steps: readonly StepState[]
  readonly annotations: readonly Annotation[]
  /** Markdown of all steps. */
  readonly summary: string
}

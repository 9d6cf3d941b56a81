/** What one command may use. Sizes in bytes, times in milliseconds. */
export type Limits = {
  /** From its start to its end on the clock of the wall. */
  readonly time: number
  /** All its processes together, and each one's own data. */
  readonly memory: number
  /** Everything below its folder, its temporary files included; no file may be larger either. */
  readonly disk: number
  readonly processes: number
  /** Open files of one process. */
  readonly files: number
  /** Output that is handed on as it comes; of what follows only the end is. */
  readonly output: number
}

/** What is kept of the end of an output that is longer than its limit. */
export const OUTPUT_END = 16 * 1024

/** Memory behind `/dev/shm`, the one place in memory that a command can write files to. */
export const SHARED_MEMORY = 64 * 1024 ** 2

/** The limits of one command. */
export type CommandLimits = {
  /** Wall-clock time from start to end. */
  readonly timeMs: number
  /** For all its processes together, and for the data segment of each. */
  readonly memoryBytes: number
  /** For its directory, including temporary files; also the maximum size of one file. */
  readonly diskBytes: number
  readonly processes: number
  /** Open files of one process. */
  readonly files: number
  /** Output that is passed on as it comes; of the rest only the last bytes are. */
  readonly outputBytes: number
}

/** The last bytes of an output beyond its limit that are kept. */
export const OUTPUT_TAIL_BYTES = 16 * 1024

/** The size of `/dev/shm`, the only writable file system in memory. */
export const SHARED_MEMORY_BYTES = 64 * 1024 ** 2

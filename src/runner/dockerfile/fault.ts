/** What is wrong with a Dockerfile, for its author. */

/** An error of one line, which names the line of the Dockerfile where there is one. */
export class DockerfileFault extends Error {
  constructor(message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`)
  }
}

/** Tests of git that end otherwise against the engine than against `git http-backend`, each with its reason. */
export const EXPLAINED: Readonly<Record<string, string>> = {}

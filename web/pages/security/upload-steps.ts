/** Steps of a workflow that scans and uploads. They are the same in every language. */
export const UPLOAD_STEPS = [
  'permissions:',
  '  security-events: write',
  'steps:',
  '  - uses: actions/checkout@v4',
  '  - run: semgrep scan --sarif --output results.sarif',
  '  - uses: github/codeql-action/upload-sarif@v3',
  '    with:',
  '      sarif_file: results.sarif',
].join('\n')

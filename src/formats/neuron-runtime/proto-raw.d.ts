/** Schema descriptions are part of the program's text, so that they are found wherever it runs: from sources, built, in a worker thread. */
declare module '*.proto?raw' {
  const text: string
  export default text
}

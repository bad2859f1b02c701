// Entry of the tests that run inside an extension host.
export function run(): Promise<void> {
  return Promise.resolve();
}

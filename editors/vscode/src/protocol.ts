// The types and methods of the wire: one generated file, which the TypeScript client shares.
export * from "../../typescript/src/protocol";

/**
 * Widgets on a page.
 *
 * @module widgets
 */
import { readFile } from "node:fs";
import type { Page } from './page';
import legacy = require("legacy");
export * from "./shapes";

/** How many {@link Widget}s fit. */
export const MAX = 16;
const hidden = 2;

/** Adds two numbers. */
export const add = (a: number, b = 2): number => a + b;
export async function load<T>(path: string, options: { deep: boolean }): Promise<T> {
  const { inner } = await import("./lazy");
  return inner;
}
export default class Widget<T extends Base> extends Base implements Shown {
  /** Its name. */
  readonly name: string = "w";
  static count = 0;
  #secret = 1;
  constructor(private page: Page) { super(); }
  get size(): number { return 1; }
  set size(value: number) {}
  protected draw(): void {}
  show = (deep?: boolean) => {};
  find(id: string): T;
  find(id: number | string): T { return null as any; }
}
export interface Shown<out T> extends Other {
  title: string;
  show(deep?: boolean): void;
}
export type Id = string | number;
export type Options = { first: string; second: number; third: boolean; fourth: string[] };
export enum Color { Red = 1, Green }
declare module "globals" {
  export function helper(): void;
}
namespace Inner.Deep { export const z = 1; }
function later() {}
export { later, hidden as visible };
export const { left, right: rightSide } = split();
@Component({ selector: "x" })
export class Decorated {}
abstract class Shape { abstract area(): number; }

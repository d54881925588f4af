import { accessTests } from "./access.js";

accessTests("wide", {});

import { accessTests } from "./access.js";

accessTests("narrow", { width: 380, height: 700, touch: true });

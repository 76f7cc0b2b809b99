import { render } from "preact";
import { takeToken } from "./api";
import { Start } from "./app";
import { takeLinked } from "./share";
import "./style.css";

takeToken();
takeLinked().then((linked) => render(<Start linked={linked} />, document.getElementById("app")!));

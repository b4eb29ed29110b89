import{a}from"./chunk-YKNBWTOV.js";import"./chunk-LK4PSQ4K.js";export{a as gameTexts};

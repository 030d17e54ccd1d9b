export declare const BUILDER: string
